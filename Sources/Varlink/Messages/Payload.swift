/// The parameters of a message: as a tree where they were received, as a part of the whole message where that is to be
/// sent. That way neither side makes the other form, and a message is written once.
struct Payload: Sendable {
  private enum Storage {
    case object(JSONObject)
    case message([UInt8], parameters: Range<Int>)
  }

  private let storage: Storage

  init(_ object: JSONObject) {
    storage = .object(object)
  }

  /// Writes the message with these parameters.
  /// - Parameters:
  ///   - head: what comes before the parameters.
  ///   - flag: the name of what is true of the message.
  init(
    encoding structure: some VarlinkStructure, after head: (name: StaticString, text: String)?, flag: String?
  ) {
    let (bytes, parameters) = Self.message(after: head, flag: flag) { structure.write(to: &$0) }
    storage = .message(bytes, parameters: parameters)
  }

  var object: JSONObject {
    switch storage {
    case .object(let object):
      return object
    case .message(let bytes, let parameters):
      if parameters.isEmpty { return JSONObject() }
      let text = bytes.span.extracting(parameters)
      guard case .object(let object)? = try? JSON(parsing: text, maximumDepth: .max) else {
        preconditionFailure("A structure wrote something else than a JSON object.")
      }
      return object
    }
  }

  /// The message, with the NUL that ends it. Of one that was written already it is that: head and flag are the same.
  func encoded(after head: (name: StaticString, text: String)?, flag: String?) -> [UInt8] {
    switch storage {
    case .message(let bytes, _): bytes
    case .object(let object): Self.message(after: head, flag: flag) { $0.write(object) }.bytes
    }
  }

  private static func message(
    after head: (name: StaticString, text: String)?, flag: String?, _ write: (inout JSONWriter) -> Void
  ) -> (bytes: [UInt8], parameters: Range<Int>) {
    var writer = JSONWriter()
    writer.beginObject()
    if let head { writer.member(encoded: head.name, head.text) }
    let parameters = writer.parameters(write)
    if let flag { writer.member(flag, true) }
    writer.endObject()
    writer.endMessage()
    return (writer.bytes, parameters)
  }
}

extension Payload: Hashable {
  static func == (left: Payload, right: Payload) -> Bool { left.object == right.object }
  func hash(into hasher: inout Hasher) { hasher.combine(object) }
}
