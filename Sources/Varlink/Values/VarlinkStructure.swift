/// A structure: the fields of a type, or the parameters of a call, a reply or an error.
public protocol VarlinkStructure: VarlinkValue, Hashable, Sendable {
  /// Reads the fields. Throws the first that does not have the declared type.
  init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError)

  /// Writes the fields, without what begins and ends the object.
  func writeMembers(to writer: inout JSONWriter)
}

extension VarlinkStructure {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    let object = try JSONObject(json: json, unknownMembers: unknownMembers)
    try self.init(object: object, unknownMembers: unknownMembers)
  }

  /// Writes the object with its fields.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }
}

extension JSONObject {
  /// The value of a field. An absent member is null (UAPI.20, "Nullable Fields and Absent Fields").
  public func field<Value: VarlinkValue>(
    _ name: String, _ unknownMembers: UnknownMembers
  ) throws(VarlinkDecodingError) -> Value {
    do {
      return try Value(json: self[name] ?? .null, unknownMembers: unknownMembers)
    } catch {
      throw error.inside(name)
    }
  }

  /// Throws for the first member that is not one of these.
  public func refuseMembers(otherThan known: [String]) throws(VarlinkDecodingError) {
    if let member = members.first(where: { !known.contains($0.name) }) {
      throw VarlinkDecodingError(path: member.name, problem: .unknownMember)
    }
  }
}

extension JSONWriter {
  /// Writes a member: its name, then its value.
  public mutating func member(_ name: String, _ value: some VarlinkValue) {
    self.name(name)
    value.write(to: &self)
  }

  /// For generated code: the name with its quotes and its colon.
  public mutating func member(encoded name: StaticString, _ value: some VarlinkValue) {
    self.name(encoded: name)
    value.write(to: &self)
  }

  /// For generated code: the name with its quotes and its colon. Nil is not written: absent and null mean the same, and
  /// absent is shorter.
  public mutating func optionalMember(encoded name: StaticString, _ value: (some VarlinkValue)?) {
    if let value { member(encoded: name, value) }
  }
}
