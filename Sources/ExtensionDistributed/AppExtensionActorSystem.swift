public import Distributed
public import ExtensionFoundation
internal import Synchronization
internal import Varlink

/// Distributed actors over a connection between a host and an extension, both of which are in Swift.
///
/// What one side may ask of the other is a protocol that both know:
///
///     @Resolvable
///     public protocol Editor: DistributedActor
///     where ActorSystem: DistributedActorSystem<any Codable & Sendable> {
///       distributed func insert(_ text: Text, at line: Int) async throws -> Int
///     }
///
/// One side exports an actor that conforms, the other one resolves it by its name as a `$Editor`. Each side has a system for
/// each connection, made before `resume()`. Any thread may use it.
///
/// A call ends once: with its result, with an error that both sides allow, with `AppExtensionError`, or with
/// `CancellationError`; of a peer that is gone too. Calls that one task makes arrive in their order, and the calls of
/// one side are answered one after the other. So a method that asks its caller for something, which asks this side once
/// more before it answers, waits for itself.
///
/// What the peer can reach is what is allowed here, whatever it sends:
/// - Actors, by the names that they are exported as; nothing else has a name.
/// - Of these, the methods of the interface that they are exported with. Any other name of a method is refused before the
///   runtime looks at it. Methods with generic parameters of their own cannot be called, nor can computed properties.
/// - As arguments, results and errors the types that are allowed by `allow(_:)`, and `Bool`, numbers, `String`, and
///   `Optional`, `Array`, `Set` and `Dictionary` of them. The types of arguments and results are always those that the method
///   declares; the peer names none. That of an error it does name, and only what is allowed is found.
///
/// What is not checked: the types inside an allowed type, which its own `Codable` conformance reads; and whether the
/// peer's protocol is the same one. Names are mangled Swift names, with the module's in them: both sides need the protocol
/// from a module of one name.
public final class AppExtensionActorSystem: DistributedActorSystem {
  /// The name that an actor is exported and resolved by.
  public typealias ActorID = String
  /// What arguments and results must be.
  public typealias SerializationRequirement = any Codable & Sendable

  /// What the calls go over. The system keeps it until one side ends it.
  public let connection: AppExtensionConnection
  let types = AllowedTypes()
  /// The connection's, until it ends: the actors hold this system.
  private weak let exports: ExportedActors?
  private let assigned = Atomic(0)

  @TaskLocal private static var isOneway = false

  /// A system over a connection, beside whatever object that exports.
  ///
  /// - Precondition: the connection has not been resumed, and has no system yet.
  public init(_ connection: AppExtensionConnection) {
    self.connection = connection
    let exports = ExportedActors(types: types)
    self.exports = exports
    connection.exportBeside(exports, as: DistributedInterface.self)
  }

  // MARK: Before the connection is resumed

  /// Lets values of a type come and go: as arguments, results, and errors that a method throws. Both sides need it.
  public func allow(_ type: any (Codable & Sendable).Type) { types.allow(type) }

  /// Lets the peer call an actor. The connection keeps the actor until one side ends it.
  /// - Parameters:
  ///   - actor: kept by the system, until the connection ends.
  ///   - name: what the peer resolves it by. Of two with one name the later holds.
  ///   - interface: what it may be asked for: `$Editor.self`, for a protocol `Editor` to which it conforms.
  ///     Where it does not, each call fails.
  public func export<Act: DistributedActor, Interface: DistributedActor & _DistributedActorStub>(
    _ actor: Act, as name: String, answering interface: Interface.Type
  ) where Act.ActorSystem == AppExtensionActorSystem, Interface.ActorSystem == AppExtensionActorSystem {
    exports?.add(actor, as: name, methods: InterfaceMethods(of: interface))
  }

  // MARK: Calling

  /// Sends the calls in a closure without waiting for an answer: those that return nothing. They throw only where the
  /// connection has ended; what becomes of them is not told.
  nonisolated(nonsending) public static func oneway<Failure>(
    _ calls: nonisolated(nonsending) () async throws(Failure) -> Void
  ) async throws(Failure) {
    let result: Result<Void, Failure> = await $isOneway.withValue(true) {
      do throws(Failure) { return .success(try await calls()) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Called by `$Editor.resolve(id:using:)`. An id is the name that the peer exports its actor as. Nobody is asked: a
  /// name that the peer does not have fails with the first call.
  /// - Throws: `AppExtensionError` for any other type, since the peer is asked through an interface.
  public func resolve<Act: DistributedActor>(id: String, as type: Act.Type) throws -> Act?
  where Act.ID == String {
    guard type is any _DistributedActorStub.Type else {
      throw AppExtensionError(
        .notImplemented,
        "\(type) cannot be resolved; use a @Resolvable protocol, and resolve its $-type")
    }
    return nil
  }

  // MARK: For the compiler

  /// What it gathers a call in.
  public func makeInvocationEncoder() -> InvocationEncoder { InvocationEncoder(types: types) }

  /// Makes a call that has a result.
  /// - Throws: what the peer's method throws, where that is allowed; `AppExtensionError`; `CancellationError`.
  public func remoteCall<Act: DistributedActor, Failure: Error, Result: Codable & Sendable>(
    on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder,
    throwing: Failure.Type, returning type: Result.Type
  ) async throws -> Result where Act.ID == String {
    try types.checkBeforeSending(type, "the result of \(target)")
    let result = try await answer(to: invocation.call(actor.id, target))
    do {
      return try ValueDecoder.decode(type, from: result ?? .null)
    } catch {
      throw AppExtensionError(
        .malformedMessage, "the result of \(target) is not what it promises: \(ValueProblem(error))")
    }
  }

  /// Makes a call that has none, and waits for its end, except in `oneway(_:)`.
  /// - Throws: as a call with a result.
  public func remoteCallVoid<Act: DistributedActor, Failure: Error>(
    on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Failure.Type
  ) async throws where Act.ID == String {
    let call = invocation.call(actor.id, target)
    if Self.isOneway { try await connection.tell(call) } else { _ = try await answer(to: call) }
  }

  private func answer(to call: DistributedInterface.Invoke) async throws -> JSON? {
    do {
      return try await connection.call(call, of: DistributedInterface.self).result
    } catch let error as DistributedInterface.ActorNotFound {
      throw AppExtensionError(.notImplemented, "the peer exports no actor '\(error.actor)'")
    } catch let error as DistributedInterface.NotAllowed {
      throw AppExtensionError(.notImplemented, "the peer does not allow it: \(error.message)")
    } catch let error as DistributedInterface.Thrown {
      throw types.error(error) ?? AppExtensionError(.remoteError, error.message)
    }
  }

  /// An id for an actor of this side. Its peer knows it by another name: the one that it is exported as.
  public func assignID<Act: DistributedActor>(_ type: Act.Type) -> String where Act.ID == String {
    "\(type)-\(assigned.add(1, ordering: .relaxed).newValue)"
  }

  /// Nothing is to be done: only actors that are exported can be called.
  public func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == String {}

  /// Nothing is to be done: actors that are exported are kept.
  public func resignID(_ id: String) {}
}
