/// The members of a message, by which calls and replies are read.
struct Envelope {
  private let object: JSONObject
  private let kind: String

  /// - Parameter kind: "call" or "reply", for messages.
  init(_ bytes: Span<UInt8>, kind: String) throws(VarlinkProtocolError) {
    let json: JSON
    do { json = try JSON(parsing: bytes) } catch {
      throw VarlinkProtocolError("The \(kind) is not valid JSON. \(error)")
    }
    guard case .object(let object) = json else {
      throw VarlinkProtocolError("The \(kind) must be an object, not \(json.kind).")
    }
    self.object = object
    self.kind = kind
  }

  func contains(_ name: String) -> Bool { object[name] != nil }

  // Null and absent are the same.

  var parameters: JSONObject {
    get throws(VarlinkProtocolError) {
      switch object["parameters"] {
      case .object(let value): return value
      case nil, .null: return JSONObject()
      case let found?: throw mismatch("parameters", "an object", found)
      }
    }
  }

  func text(_ name: String) throws(VarlinkProtocolError) -> String? {
    switch object[name] {
    case .string(let value): return value
    case nil, .null: return nil
    case let found?: throw mismatch(name, "a string", found)
    }
  }

  func flag(_ name: String) throws(VarlinkProtocolError) -> Bool {
    switch object[name] {
    case .bool(let value): return value
    case nil, .null: return false
    case let found?: throw mismatch(name, "a bool", found)
    }
  }

  private func mismatch(_ name: String, _ expected: String, _ found: JSON) -> VarlinkProtocolError {
    let error = VarlinkDecodingError(expected: expected, found: found).inside(name)
    return VarlinkProtocolError("In the \(kind): \(error)")
  }

  /// Throws unless all others are the objects of vendors (UAPI.20, "Vendor Extensions").
  func finish(_ isKnown: (String) -> Bool) throws(VarlinkProtocolError) {
    for member in object.members where !isKnown(member.name) {
      guard member.name.utf8.contains(UInt8(ascii: ".")) else {
        throw VarlinkProtocolError("The \(kind) has a member that Varlink does not know: '\(member.name)'.")
      }
      guard case .object = member.value else {
        throw VarlinkProtocolError(
          "The vendor member '\(member.name)' of the \(kind) must be an object, not \(member.value.kind).")
      }
    }
  }
}
