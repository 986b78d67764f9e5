extension Bool: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    guard case .bool(let value) = json else {
      throw VarlinkDecodingError(expected: "a bool", found: json)
    }
    self = value
  }

  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    guard case .integer(let number) = json, let value = Int(exactly: number) else {
      throw VarlinkDecodingError(expected: "an int of \(Int.bitWidth) bits with sign", found: json)
    }
    self = value
  }

  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Double: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    switch json {
    case .double(let value): self = value
    case .integer(let value): self = Double(value)
    case .unsigned(let value): self = Double(value)
    default: throw VarlinkDecodingError(expected: "a float", found: json)
    }
  }

  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension String: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    guard case .string(let value) = json else {
      throw VarlinkDecodingError(expected: "a string", found: json)
    }
    self = value
  }

  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

/// An enumeration: its case's name as a string.
extension VarlinkValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    guard case .string(let name) = json, let value = Self(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      var found = json.kind
      if case .string(let name) = json { found = "'\(name)'" }
      throw VarlinkDecodingError(problem: .mismatch(expected: "one of \(names)", found: found))
    }
    self = value
  }

  /// Writes the case's name.
  public func write(to writer: inout JSONWriter) { writer.write(rawValue) }
}

/// `any`: every value but null.
extension JSON: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    if json == .null { throw VarlinkDecodingError(expected: "any value", found: json) }
    self = json
  }

  public func write(to writer: inout JSONWriter) { writer.write(self) }
}

/// `object`: a foreign object, whose members nobody checks.
extension JSONObject: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    guard case .object(let value) = json else {
      throw VarlinkDecodingError(expected: "an object", found: json)
    }
    self = value
  }

  public func write(to writer: inout JSONWriter) { writer.write(self) }
}
