/// `?T`: null, or a value.
extension Optional: VarlinkValue where Wrapped: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    self = json == .null ? nil : try Wrapped(json: json, unknownMembers: unknownMembers)
  }

  public func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.writeNull() }
  }
}

extension Array: VarlinkValue where Element: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    guard case .array(let elements) = json else {
      throw VarlinkDecodingError(expected: "an array", found: json)
    }
    self = []
    reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do { append(try Element(json: element, unknownMembers: unknownMembers)) } catch {
        throw error.inside("[\(index)]")
      }
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.write(to: &writer) }
    writer.endArray()
  }
}

/// `[string]T`. Written in the order of the keys, so that equal values have equal texts.
extension Dictionary: VarlinkValue where Key == String, Value: VarlinkValue {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    let object = try JSONObject(json: json, unknownMembers: unknownMembers)
    self = Dictionary(minimumCapacity: object.count)
    for member in object.members {
      do { self[member.name] = try Value(json: member.value, unknownMembers: unknownMembers) } catch {
        throw error.inside(member.name)
      }
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for (key, value) in sorted(by: { $0.key < $1.key }) { writer.member(key, value) }
    writer.endObject()
  }
}

/// `[string]()`, a set of strings. Written in order.
extension Set: VarlinkValue where Element == String {
  public init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
    let object = try JSONObject(json: json, unknownMembers: unknownMembers)
    self = Set(minimumCapacity: object.count)
    for member in object.members {
      do {
        let empty = try JSONObject(json: member.value, unknownMembers: unknownMembers)
        if unknownMembers == .refused { try empty.refuseMembers(otherThan: []) }
      } catch {
        throw error.inside(member.name)
      }
      insert(member.name)
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for element in sorted() {
      writer.name(element)
      writer.beginObject()
      writer.endObject()
    }
    writer.endObject()
  }
}
