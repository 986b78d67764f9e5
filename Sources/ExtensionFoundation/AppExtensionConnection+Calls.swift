internal import LinuxSystem
public import Varlink

// For the code that the build plugin makes; it may be used by hand as well.

extension AppExtensionConnection {
  /// Calls the peer and waits for its answer.
  /// - Parameters:
  ///   - method: the call, with its parameters.
  ///   - interface: whose errors the answer may be.
  ///   - timeout: nil for ever.
  /// - Throws: the interface's own error, `AppExtensionError`, or `CancellationError`.
  public func call<Method: VarlinkMethod, I: AppExtensionInterface>(
    _ method: Method, of interface: I.Type, timeout: Duration? = nil
  ) async throws -> Method.Reply {
    let answer = try await session(for: Method.name).call(method.call(), timeout: timeout)
    return try Self.reply(to: Method.self, answer.reply, of: interface)
  }

  /// Calls the peer with descriptors, and waits for its answer and the descriptors that come with that.
  /// - Throws: as without descriptors.
  public func call<Method: VarlinkMethod, I: AppExtensionInterface>(
    _ method: Method, with descriptors: AppExtensionDescriptors, of interface: I.Type,
    timeout: Duration? = nil
  ) async throws -> (reply: Method.Reply, descriptors: AppExtensionDescriptors) {
    let answer = try await session(for: Method.name).call(
      method.call(), descriptors: descriptors.all, timeout: timeout)
    return (
      try Self.reply(to: Method.self, answer.reply, of: interface),
      AppExtensionDescriptors(answer.descriptors)
    )
  }

  /// Tells the peer something that has no answer. Returns when it is on its way, which may wait for the peer to read.
  /// - Throws: `AppExtensionError` where the connection has ended.
  public func tell(
    _ method: some VarlinkMethod, with descriptors: AppExtensionDescriptors = AppExtensionDescriptors()
  ) async throws {
    try await session(for: type(of: method).name).tell(
      method.call(oneway: true), descriptors: descriptors.all)
  }

  /// Calls the peer, which answers many times. The call is made when somebody reads.
  ///
  /// Until it ends, no other call of this side is answered: a call in the loop that reads needs another connection.
  /// - Parameters:
  ///   - method: the call, with its parameters.
  ///   - descriptors: what goes along with it.
  ///   - interface: whose errors an answer may be.
  ///   - element: what one answer is.
  public func stream<Method: VarlinkMethod, I: AppExtensionInterface, Element>(
    _ method: Method, with descriptors: AppExtensionDescriptors = AppExtensionDescriptors(),
    of interface: I.Type, element: @escaping @Sendable (Method.Reply) -> Element
  ) -> AppExtensionStream<Element> {
    AppExtensionStream {
      let reader = StreamReader(connection: self, call: method.call(more: true), descriptors: descriptors.all)
      return {
        guard let answer = try await reader.next() else { return nil }
        return element(try Self.reply(to: Method.self, answer, of: interface))
      }
    }
  }

  private static func reply<Method: VarlinkMethod, I: AppExtensionInterface>(
    to method: Method.Type, _ reply: VarlinkReply, of interface: I.Type
  ) throws -> Method.Reply {
    if reply.error != nil { throw I.failure(of: reply) ?? AppExtensionError(peerSays: reply) }
    do {
      return try Method.Reply(object: reply.parameters, unknownMembers: .ignored)
    } catch {
      throw AppExtensionError(
        .malformedMessage, "the answer to \(Method.name) is not what it promises: \(error)")
    }
  }
}

/// Reads the answers to one call. Letting go of it tells the peer that nobody reads any more.
private final class StreamReader {
  private let connection: AppExtensionConnection
  private let call: VarlinkCall
  private let descriptors: [SharedDescriptor]
  private var begun: (session: Session, call: OutgoingCall)?

  init(connection: AppExtensionConnection, call: VarlinkCall, descriptors: [SharedDescriptor]) {
    self.connection = connection
    self.call = call
    self.descriptors = descriptors
  }

  deinit {
    guard let (session, call) = begun else { return }
    Task(executorPreference: Session.thread.tasks) { await session.abandon(call, CancellationError()) }
  }

  func next() async throws -> VarlinkReply? {
    if begun == nil {
      let session = try connection.session(for: call.method)
      begun = (session, try await session.stream(call, descriptors: descriptors))
    }
    guard let (session, call) = begun else { return nil }
    return try await session.next(of: call)?.reply
  }
}
