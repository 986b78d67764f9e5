internal import Distributed
internal import Synchronization
internal import Varlink

/// The actors that the peer of one connection may call.
final class ExportedActors: DistributedInterface.Service {
  private struct Export: Sendable {
    let methods: InterfaceMethods
    let call: @Sendable (_ target: String, _ arguments: [JSON?]) async throws -> JSON?
  }

  private let types: AllowedTypes
  private let exports = Mutex<[String: Export]>([:])

  init(types: AllowedTypes) { self.types = types }

  func add<Act: DistributedActor>(_ actor: Act, as name: String, methods: InterfaceMethods)
  where Act.ActorSystem == AppExtensionActorSystem {
    let types = types
    let export = Export(methods: methods) { target, arguments in
      var call = AppExtensionActorSystem.InvocationDecoder(
        types: types, actor: Act.self, arguments: arguments)
      let handler = AppExtensionActorSystem.ResultHandler(types: types)
      try await actor.actorSystem.executeDistributedTarget(
        on: actor, target: RemoteCallTarget(target), invocationDecoder: &call, handler: handler)
      return try handler.result()
    }
    exports.withLock { $0[name] = export }
  }

  func invoke(actor: String, target: String, arguments: [JSON?]) async throws -> JSON? {
    guard let export = exports.withLock({ $0[actor] }) else {
      throw DistributedInterface.ActorNotFound(actor: actor)
    }
    guard export.methods.contain(target) else {
      throw DistributedInterface.NotAllowed(message: "the interface of '\(actor)' has no method \(target)")
    }
    do {
      return try await export.call(target, arguments)
    } catch let error as ExecuteDistributedTargetError {
      throw DistributedInterface.NotAllowed(message: "'\(actor)' cannot answer \(target): \(error.message)")
    }
  }
}
