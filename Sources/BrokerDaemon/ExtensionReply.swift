internal import BrokerCore
internal import ExtensionInterfaces
internal import Varlink

/// What an extension's reply means. Which call it answers, it says itself.
enum ExtensionReply {
  /// nil for an answer to a call of an earlier broker: nobody waits for it.
  static func event(_ reply: VarlinkReply, from instance: String, generation: String) -> Event? {
    guard case .string(let call)? = reply.parameters["answers"] else {
      // An extension that knows no such method, say.
      let error = reply.error ?? "a reply"
      return .misbehaved(instance: instance, message: "\(error) does not say which call it answers")
    }
    guard call.hasPrefix(generation + ".") else { return nil }
    switch reply.error {
    case nil:
      return .answered(
        instance: instance, call: call, scenes: scenes(reply),
        hearsMemoryPressure: reply.parameters["memoryPressure"] == .bool(true))
    case ExtensionInterface.SceneNotFound.name:
      var scene = ""
      if case .string(let name)? = reply.parameters["scene"] { scene = name }
      return .sceneUnknown(instance: instance, call: call, scene: scene)
    case let error?:
      var message = error
      if case .string(let text)? = reply.parameters["message"] { message = text }
      return .rejected(instance: instance, call: call, message: message)
    }
  }

  private static func scenes(_ reply: VarlinkReply) -> [String]? {
    guard case .array(let names)? = reply.parameters["scenes"] else { return nil }
    return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }
}
