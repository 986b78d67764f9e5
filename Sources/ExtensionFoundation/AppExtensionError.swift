internal import ExtensionInterfaces
internal import Varlink

/// Why an extension could not be used.
public struct AppExtensionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is: what a program decides by.
  public enum Code: String, Hashable, Sendable {
    /// There is no broker to ask. It may come: `AppExtensionHost.waitForBroker()`.
    case brokerUnavailable
    /// What answers in the broker's place is another version or another product; `message` names it. It was not asked
    /// again, since waiting is of no use.
    case brokerIncompatible
    /// It is gone, or was never there.
    case extensionNotFound
    /// The person has not approved it, has disabled it, or it may not be used for another cause.
    case extensionNotEnabled
    /// The extension offers no such scene.
    case sceneNotFound
    /// It could not be made ready; `reason` and `standardError` say more.
    case activationFailed
    /// The extension refused the connection; `message` is its own.
    case connectionRejected
    /// It cannot be shown; `message` says why, and what to do.
    case displayUnavailable
    /// The activation is over; `reason` says why.
    case activationEnded
    /// This host is sandboxed, and what it asked for belongs to another one.
    case notPermitted
    /// See 'extctl status' for the broker's limits.
    case limitReached
    /// The peer, or this side, has closed the connection.
    case connectionClosed
    /// The peer did not answer in time. What it was asked to do may still be done.
    case timedOut
    /// What came over the connection is not Varlink. It was closed.
    case malformedMessage
    /// The peer does not offer what was asked for; `message` names it.
    case notImplemented
    /// The peer could not take the parameters; `message` names the first that is wrong.
    case invalidParameter
    /// The peer's code failed; `message` is what it says.
    case remoteError
    /// Anything else.
    case failed
  }

  /// What kind of failure it is.
  public let code: Code
  /// For people: what happened, and what to do.
  public let message: String
  /// Why the extension ended or did not begin, where that is the cause.
  public let reason: AppExtensionProcess.EndReason?
  /// The last lines that the extension wrote to standard error.
  public let standardError: [String]

  /// The message.
  public var description: String { message }

  package init(
    _ code: Code, _ message: String, reason: AppExtensionProcess.EndReason? = nil,
    standardError: [String] = []
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.standardError = standardError
  }

  /// What the peer answered instead of a reply.
  init(peerSays reply: VarlinkReply) {
    if let failure = try? ServiceInterface.Failure(reply) {
      switch failure {
      case .interfaceNotFound(let it):
        self.init(.notImplemented, "the peer has no interface \(it.interface)")
      case .methodNotFound(let it): self.init(.notImplemented, "the peer has no method \(it.method)")
      case .methodNotImplemented(let it):
        self.init(.notImplemented, "the peer does not implement \(it.method)")
      case .invalidParameter(let it):
        self.init(.invalidParameter, "the peer cannot take the parameter \(it.parameter)")
      case .permissionDenied: self.init(.notPermitted, "the peer does not permit it")
      case .expectedUpgrade: self.init(.notImplemented, "the peer answers this only by an upgrade")
      case .expectedMore: self.init(.notImplemented, "the peer answers this only in many replies")
      }
    } else if case .failed(let it)? = try? ConnectionInterface.Failure(reply) {
      self.init(.remoteError, it.message)
    } else {
      self.init(.remoteError, "the peer answered \(reply.error ?? "") \(JSON.object(reply.parameters).text)")
    }
  }

  init(_ error: VarlinkClientError) {
    guard case .errorReply(let reply) = error, let failure = try? BrokerInterface.Failure(reply) else {
      switch error {
      case .errorReply: self.init(.failed, error.description)
      case .timedOut: self.init(.timedOut, "the broker did not answer in time; 'extctl doctor' tells more")
      default:
        self.init(.brokerUnavailable, "\(error.description); is extensiond running? 'extctl doctor' tells")
      }
      return
    }
    switch failure {
    case .extensionNotFound(let it): self.init(.extensionNotFound, "there is no extension \(it.extension)")
    case .extensionNotEnabled(let it): self.init(.extensionNotEnabled, it.message)
    case .sceneNotFound(let it):
      self.init(.sceneNotFound, "there is no scene \(it.scene); it has: \(it.scenes.joined(separator: ", "))")
    case .activationFailed(let it):
      self.init(.activationFailed, it.message, reason: .init(it.reason), standardError: it.standardError)
    case .connectionRejected(let it): self.init(.connectionRejected, it.message)
    case .displayUnavailable(let it): self.init(.displayUnavailable, it.message)
    case .activationEnded(let it):
      self.init(
        .activationEnded, "the activation is over: \(it.reason.kind.rawValue)", reason: .init(it.reason))
    case .activationNotFound(let it): self.init(.activationEnded, "there is no activation \(it.activation)")
    case .notPermitted(let it): self.init(.notPermitted, it.message)
    case .limitReached(let it):
      self.init(.limitReached, "the broker's limit \(it.limit) of \(it.value) is reached")
    case .invalidHost(let it): self.init(.failed, it.message)
    case .helloRequired: self.init(.failed, error.description)
    }
  }
}
