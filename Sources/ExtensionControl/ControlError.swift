internal import ExtensionInterfaces
internal import Varlink

/// A failure: what happened, to what, and what to type next.
struct ControlError: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String
  /// What the service answered, where it did.
  var reply: VarlinkReply?

  init(_ status: ExitStatus, _ description: String, reply: VarlinkReply? = nil) {
    self.status = status
    self.description = description
    self.reply = reply
  }

  /// Whether the broker knows no such extension.
  var isNotFound: Bool { reply?.error == AdminInterface.ExtensionNotFound.name }

  /// For programs. The wire's error keeps its name and its parameters.
  var json: JSONObject {
    var error: JSONObject = ["status": .integer(Int64(status.rawValue)), "message": .string(description)]
    if let reply {
      error["name"] = reply.error.map(JSON.string)
      error["parameters"] = .object(reply.parameters)
    }
    return ["schema": 1, "error": .object(error)]
  }
}

extension ControlError {
  init(_ error: VarlinkClientError) {
    switch error {
    case .unreachable: self.init(.unavailable, "\(error); \(BrokerLocation.mend)")
    case .timedOut: self.init(.timedOut, "\(error); 'extctl doctor' looks for the cause")
    case .closed: self.init(.unavailable, "\(error); 'extctl doctor' looks for the cause")
    case .failed, .malformed: self.init(.internalError, error.description)
    case .errorReply(let reply): self.init(reply)
    }
  }

  init(_ reply: VarlinkReply) {
    let (status, text) =
      if let failure = try? AdminInterface.Failure(reply) {
        Self.explain(failure)
      } else if let failure = try? BrokerInterface.Failure(reply) {
        Self.explain(failure)
      } else {
        Self.explain(reply)
      }
    self.init(status, text, reply: reply)
  }

  private static func explain(_ failure: AdminInterface.Failure) -> (ExitStatus, String) {
    switch failure {
    case .extensionNotFound(let it): (.failed, notFound(it.extension))
    case .ambiguous(let it): (.failed, ambiguous(it.extension, it.paths))
    case .changed(let it):
      (
        .changed,
        "\(it.extension) is not what was shown any more: it is \(it.digest) now; run this again to see it"
      )
    case .notApprovable(let it):
      (
        .failed,
        "\(it.extension) cannot be approved: \(it.message); 'extctl lint \(it.extension)' lists every fault"
      )
    case .publisherNotFound(let it):
      (
        .failed,
        "no key \(it.fingerprint) is known; a fingerprint is 'SHA256:' and 43 characters, and 'extctl publishers' lists them"
      )
    case .invalidDecision(let it):
      (.failed, "the decision about '\(it.identifier)' cannot be imported: \(it.message)")
    case .stillThere(let it):
      (
        .failed,
        it.paths.isEmpty
          ? "\(it.extension) still runs, so it is not forgotten; 'extctl stop \(it.extension)' ends it"
          : "\(it.extension) is still there, so it is not forgotten; remove it first: \(it.paths.joined(separator: ", "))"
      )
    case .publisherChanged(let it):
      (
        .changed,
        "\(it.extension) is \(it.publisher.map { "signed with \($0) now" } ?? "not signed"), so nothing was approved; "
          + "'extctl show \(it.extension)' shows it"
      )
    case .notDevelopable(let it):
      (.failed, "\(it.path) cannot be used as a developer's bundle: \(it.message)")
    case .storageFailed(let it):
      (
        .failed,
        "the decision could not be stored, so it does not hold: \(it.message); 'extctl doctor' may help"
      )
    case .instanceNotFound(let it): (.failed, "nothing runs as \(it.target); 'extctl ps' shows what does")
    case .timedOut(let it): (.timedOut, "\(it.message); 'extctl status' shows the roots")
    }
  }

  private static func explain(_ failure: BrokerInterface.Failure) -> (ExitStatus, String) {
    switch failure {
    case .extensionNotFound(let it): return (.failed, notFound(it.extension))
    case .extensionNotEnabled(let it):
      let next = it.message.contains("extctl ") ? "" : "; 'extctl explain \(it.extension)' tells all"
      return (.notEnabled, it.message + next)
    case .sceneNotFound(let it):
      let scenes = it.scenes.isEmpty ? "it has none" : "it has: \(it.scenes.joined(separator: ", "))"
      return (.failed, "the extension has no scene \(it.scene); \(scenes)")
    case .activationFailed(let it):
      let lines = it.standardError.suffix(10).map { "\n  | \(Terminal.visible($0))" }.joined()
      return (.activationFailed, "\(it.message) (\(it.reason.kind.rawValue))\(lines)")
    case .displayUnavailable(let it): return (.failed, it.message)
    case .connectionRejected(let it): return (.failed, "the extension refused the connection: \(it.message)")
    case .activationNotFound(let it): return (.failed, "there is no activation \(it.activation) of this host")
    case .activationEnded(let it):
      return (.failed, "the activation \(it.activation) is over: \(it.reason.kind.rawValue)")
    case .invalidHost(let it): return (.failed, "the host's identifier was refused: \(it.message)")
    case .notPermitted(let it): return (.failed, "this is not permitted: \(it.message)")
    case .limitReached(let it):
      return (.failed, "the limit \(it.limit) of \(it.value) is reached; 'extctl status' shows all limits")
    case .helloRequired: return (.internalError, "the broker was asked before it was told who asks")
    }
  }

  private static func explain(_ reply: VarlinkReply) -> (ExitStatus, String) {
    let text = "the service answered \(reply.error ?? "") \(JSON.object(reply.parameters).text)"
    switch reply.error {
    case ServiceInterface.MethodNotFound.name, ServiceInterface.InterfaceNotFound.name:
      return (
        .failed, "\(text); 'extctl call --socket PATH org.varlink.service.GetInfo' shows what it offers"
      )
    case ServiceInterface.ExpectedMore.name: return (.failed, "\(text); give --more")
    default: return (.failed, text)
    }
  }

  static func notFound(_ name: String) -> String {
    "there is no extension \(name) in any root; 'extctl list' shows what there is, 'extctl status' the roots"
  }

  static func ambiguous(_ name: String, _ paths: [String]) -> String {
    "several bundles are \(name); name one by its path: \(paths.joined(separator: ", "))"
  }
}
