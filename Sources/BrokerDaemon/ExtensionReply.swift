internal import BrokerCore
internal import ExtensionInterfaces
internal import Varlink

/// What an extension's reply means. Which call it answers, it says itself.
enum ExtensionReply {
  /// nil for an answer to a call of an earlier broker: nobody waits for it.
  static func event(_ reply: VarlinkReply, from instance: String, generation: String) -> Event? {
    let parameters = reply.parameters
    guard case .string(let call)? = parameters["answers"] else {
      // An extension that knows no such method, say.
      let error = reply.error ?? "a reply"
      return .misbehaved(instance: instance, message: "\(error) does not say which call it answers")
    }
    guard call.hasPrefix(generation), call.utf8.dropFirst(generation.utf8.count).first == UInt8(ascii: ".")
    else { return nil }
    switch reply.error {
    case nil:
      return .answered(
        instance: instance, call: call, scenes: scenes(parameters),
        hearsMemoryPressure: isTrue(parameters["memoryPressure"]))
    case ExtensionInterface.SceneNotFound.name:
      var scene = ""
      if case .string(let name)? = parameters["scene"] { scene = name }
      return .sceneUnknown(instance: instance, call: call, scene: scene)
    case let error?:
      var message = error
      if case .string(let text)? = parameters["message"] { message = text }
      return .rejected(instance: instance, call: call, message: message)
    }
  }

  private static func isTrue(_ value: JSON?) -> Bool { if case .bool(true)? = value { true } else { false } }

  private static func scenes(_ parameters: JSONObject) -> [String]? {
    guard case .array(let names)? = parameters["scenes"] else { return nil }
    return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }
}
