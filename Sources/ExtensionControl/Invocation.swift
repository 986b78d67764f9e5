internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// A command line that was understood, and what its command needs to do its work.
struct Invocation: Sendable {
  let command: Command
  let arguments: [String]
  let values: [String: String]
  let switches: Set<String>

  var isJSON: Bool { switches.contains("json") }

  /// Calls the administration's interface. Once more where the broker died before it answered: every one of its methods
  /// may be called twice.
  func admin<Method: VarlinkMethod>(
    _ method: Method, timeout: Duration? = .seconds(60)
  ) throws -> Method.Reply {
    do throws(VarlinkClientError) {
      do throws(VarlinkClientError) {
        return try BrokerLocation.connect(.admin).call(method, timeout: timeout).reply
      } catch .closed {
        return try BrokerLocation.connect(.admin).call(method, timeout: timeout).reply
      }
    } catch {
      throw ControlError(error)
    }
  }

  /// Prints the result: one JSON object, or what `table` makes of it.
  func show(_ value: some VarlinkStructure, table: () -> String) {
    guard isJSON else {
      let text = table()
      if !text.isEmpty { Terminal.write(text) }
      return
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("schema", 1)
    value.writeMembers(to: &writer)
    writer.endObject()
    Terminal.write(String(decoding: writer.bytes, as: UTF8.self))
  }
}

extension ControlError {
  init(_ error: VarlinkClientError) {
    switch error {
    case .unreachable:
      self.init(
        .unavailable,
        "\(error); start it with 'systemctl --user enable --now extensiond.socket', or by hand with 'extensiond'"
      )
    case .timedOut: self.init(.timedOut, error.description)
    case .closed, .failed, .malformed: self.init(.internalError, error.description)
    case .errorReply(let reply): self.init(reply)
    }
  }

  private init(_ reply: VarlinkReply) {
    if let failure = try? AdminInterface.Failure(reply) {
      switch failure {
      case .extensionNotFound(let it):
        self.init(.failed, "there is no extension \(it.extension); 'extctl list' shows what there is")
      case .ambiguous(let it):
        self.init(
          .failed,
          "several bundles are \(it.extension); name one by its path: \(it.paths.joined(separator: ", "))")
      case .changed(let it):
        self.init(
          .changed,
          "\(it.extension) is not what was shown any more (\(it.digest)); look at it again and repeat")
      case .notApprovable(let it): self.init(.failed, "\(it.extension) cannot be approved: \(it.message)")
      case .storageFailed(let it):
        self.init(.failed, "the decision could not be stored, so it does not hold: \(it.message)")
      case .instanceNotFound(let it):
        self.init(.failed, "nothing runs as \(it.target); 'extctl ps' shows what does")
      case .timedOut(let it): self.init(.timedOut, it.message)
      }
    } else if let failure = try? BrokerInterface.Failure(reply) {
      switch failure {
      case .extensionNotFound(let it):
        self.init(.failed, "there is no extension \(it.extension); 'extctl list' shows what there is")
      case .extensionNotEnabled(let it): self.init(.notEnabled, it.message)
      case .activationFailed(let it):
        let lines = it.standardError.suffix(10).map { "\n  | \($0)" }.joined()
        self.init(.activationFailed, it.message + lines)
      case .sceneNotFound(let it):
        let scenes = it.scenes.isEmpty ? "" : "; it has: \(it.scenes.joined(separator: ", "))"
        self.init(.failed, "there is no scene \(it.scene)\(scenes)")
      case .connectionRejected(let it):
        self.init(.failed, "the extension refused the connection: \(it.message)")
      default:
        self.init(.failed, "the broker answered \(reply.error ?? "") \(JSON.object(reply.parameters).text)")
      }
    } else {
      self.init(.failed, "the broker answered \(reply.error ?? "") \(JSON.object(reply.parameters).text)")
    }
  }
}
