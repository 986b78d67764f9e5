public import Distributed
internal import ExtensionFoundation
internal import Synchronization
internal import Varlink

// For the compiler, which makes calls of distributed methods of them.

extension AppExtensionActorSystem {
  /// A call that is to be made.
  public struct InvocationEncoder: DistributedTargetInvocationEncoder {
    /// What arguments and results must be.
    public typealias SerializationRequirement = any Codable & Sendable

    let types: AllowedTypes
    private var arguments: [JSON?] = []

    init(types: AllowedTypes) { self.types = types }

    /// Refuses methods with generic parameters.
    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
      // That of the interface itself, which the peer knows.
      if type is any _DistributedActorStub.Type { return }
      throw AppExtensionError(
        .notImplemented, "distributed methods with generic parameters cannot be called; here one is \(type)")
    }

    /// Takes the next argument, whose type must be allowed.
    public mutating func recordArgument<Value: Codable & Sendable>(_ argument: RemoteCallArgument<Value>)
      throws
    {
      let subject = "the argument '\(argument.name)'"
      try types.checkBeforeSending(Value.self, subject)
      do {
        arguments.append(try ValueEncoder.encode(argument.value))
      } catch {
        throw AppExtensionError(.invalidParameter, "\(subject) cannot be sent: \(ValueProblem(error))")
      }
    }

    /// Nothing is to be done: an error names its type itself.
    public mutating func recordErrorType<Failure: Error>(_ type: Failure.Type) throws {}
    /// Nothing is to be done: the result's type is that of the method.
    public mutating func recordReturnType<Result: Codable & Sendable>(_ type: Result.Type) throws {}
    /// Nothing is to be done: a call is made of what was recorded.
    public mutating func doneRecording() throws {}

    func call(_ actor: String, _ target: RemoteCallTarget) -> DistributedInterface.Invoke {
      DistributedInterface.Invoke(actor: actor, target: target.identifier, arguments: arguments)
    }
  }

  /// A call that has come.
  public struct InvocationDecoder: DistributedTargetInvocationDecoder {
    /// What arguments and results must be.
    public typealias SerializationRequirement = any Codable & Sendable

    let types: AllowedTypes
    /// The type of the actor that is asked.
    let actor: any Any.Type
    let arguments: [JSON?]
    private var next = 0

    init(types: AllowedTypes, actor: any Any.Type, arguments: [JSON?]) {
      self.types = types
      self.actor = actor
      self.arguments = arguments
    }

    /// The one that a method of an interface has: who answers it. The runtime makes sure that it conforms.
    public func decodeGenericSubstitutions() throws -> [any Any.Type] { [actor] }

    /// The next argument, of the type that the method declares, which must be allowed.
    /// - Throws: where none is left, or it is something else.
    public mutating func decodeNextArgument<Argument: Codable & Sendable>() throws -> Argument {
      let path = "arguments[\(next)]"
      guard arguments.indices.contains(next) else {
        throw VarlinkDecodingError(path: path, problem: .mismatch(expected: "an argument", found: "nothing"))
      }
      defer { next += 1 }
      try types.checkWhatCame(Argument.self)
      do {
        return try ValueDecoder.decode(Argument.self, from: arguments[next] ?? .null)
      } catch {
        throw ValueProblem(error).inside(path)
      }
    }

    /// None: an error names its type itself.
    public func decodeErrorType() throws -> (any Any.Type)? { nil }
    /// None: the result's type is that of the method.
    public func decodeReturnType() throws -> (any Any.Type)? { nil }
  }

  /// How a call that has come ends.
  public final class ResultHandler: DistributedTargetInvocationResultHandler {
    /// What arguments and results must be.
    public typealias SerializationRequirement = any Codable & Sendable

    let types: AllowedTypes
    private let outcome = Mutex(Result<JSON?, any Error>.success(nil))

    init(types: AllowedTypes) { self.types = types }

    /// The method has returned a value, whose type must be allowed.
    public func onReturn<Success: Codable & Sendable>(value: Success) async throws {
      do {
        try types.checkWhatCame(Success.self)
        let json = try ValueEncoder.encode(value)
        outcome.withLock { $0 = .success(json == .null ? nil : json) }
      } catch let error as EncodingError {
        let message = "the result cannot be sent: \(ValueProblem(error))"
        outcome.withLock { $0 = .failure(AppExtensionError(.failed, message)) }
      }
    }

    /// The method has returned.
    public func onReturnVoid() async throws {}

    /// The method has thrown: the peer gets the error whole where its type is allowed, else as text.
    public func onThrow<Failure: Error>(error: Failure) async throws {
      let error = types.reply(to: error)
      outcome.withLock { $0 = .failure(error) }
    }

    func result() throws -> JSON? { try outcome.withLock { $0 }.get() }
  }
}
