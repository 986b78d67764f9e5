/// The members of a message as they are read one by one, until none is left.
struct Envelope {
  private var object: JSONObject
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

  /// Takes a member out. Null and absent are the same.
  mutating func take<Value: VarlinkValue>(_ name: String) throws(VarlinkProtocolError) -> Value? {
    defer { object[name] = nil }
    do { return try object.field(name, .ignored) } catch {
      throw VarlinkProtocolError("In the \(kind): \(error)")
    }
  }

  /// Throws unless all that is left are the objects of vendors (UAPI.20, "Vendor Extensions").
  func finish() throws(VarlinkProtocolError) {
    for member in object.members {
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
