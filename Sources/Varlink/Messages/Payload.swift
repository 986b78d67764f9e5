/// The parameters of a message: as a tree where they were received, as text where they are to be sent. That
/// way neither side makes the other form.
struct Payload: Sendable {
  private enum Storage {
    case object(JSONObject)
    case encoded([UInt8])
  }

  private let storage: Storage

  init(_ object: JSONObject) {
    storage = .object(object)
  }

  init(encoding structure: some VarlinkStructure) {
    var writer = JSONWriter()
    structure.write(to: &writer)
    storage = .encoded(writer.bytes)
  }

  var object: JSONObject {
    switch storage {
    case .object(let object):
      return object
    case .encoded(let bytes):
      guard case .object(let object)? = try? JSON(parsing: bytes, maximumDepth: .max) else {
        preconditionFailure("A structure wrote something else than a JSON object.")
      }
      return object
    }
  }

  /// Writes the `parameters` member. Empty ones are left out (UAPI.20, "Call").
  func write(to writer: inout JSONWriter) {
    switch storage {
    case .object(let object):
      if !object.isEmpty { writer.member("parameters", object) }
    case .encoded(let bytes):
      if bytes.count > 2 {
        writer.name(encoded: "\"parameters\":")
        writer.write(encoded: bytes)
      }
    }
  }
}

extension Payload: Hashable {
  static func == (left: Payload, right: Payload) -> Bool { left.object == right.object }
  func hash(into hasher: inout Hasher) { hasher.combine(object) }
}
