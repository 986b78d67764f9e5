internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// The broker, as this host asks it. Everything here blocks.
///
/// Each call has a connection of its own: none is broken when the broker comes back from a restart, and a host
/// that only holds activations holds no connection.
package enum Broker {
  /// How long an answer may take. The broker has deadlines of its own, which come first.
  package static let patience = Duration.seconds(60)

  /// Where it listens.
  static func path() throws(AppExtensionError) -> String {
    guard let directory = CurrentProcess.environment("XDG_RUNTIME_DIR") else {
      throw AppExtensionError(
        .brokerUnavailable, "XDG_RUNTIME_DIR is not set, so extensiond cannot be found; log in with a session"
      )
    }
    return directory + "/extensiond/broker/io.extensiond.Broker"
  }

  /// Connects, and says who this host is.
  static func connect(timeout: Duration = .seconds(10)) throws -> VarlinkClient {
    guard let host = AppExtensionHost.identifier else {
      throw AppExtensionPoint.Error.hostMustHaveBundleIdentifier
    }
    let path = try path()
    let client: VarlinkClient
    do throws(VarlinkClientError) { client = try VarlinkClient(path: path) } catch {
      throw AppExtensionError(error)
    }
    let hello = BrokerInterface.Hello(hostIdentifier: host, languages: CurrentProcess.languages)
    _ = try call(hello, client, timeout: timeout)
    return client
  }

  /// `timeout`: nil where the broker itself sees to an end: an extension in a debugger may take any time.
  static func call<Method: VarlinkMethod>(
    _ method: Method, timeout: Duration? = patience
  ) throws -> (reply: Method.Reply, descriptors: [SharedDescriptor]) {
    let deadline = timeout.map { MonotonicTime.now + $0 }
    let client = try connect(timeout: min(timeout ?? .seconds(10), .seconds(10)))
    let answer = try call(method, client, timeout: deadline.map { $0 - .now })
    return (answer.reply, answer.descriptors)
  }

  /// One call over a connection that is there.
  static func call<Method: VarlinkMethod>(
    _ method: Method, _ client: VarlinkClient, more: Bool = false, timeout: Duration?
  ) throws(AppExtensionError) -> VarlinkClient.Answer<Method.Reply> {
    do throws(VarlinkClientError) {
      return try client.call(method, more: more, timeout: timeout)
    } catch {
      throw misunderstanding(error, of: Method.name, client) ?? AppExtensionError(error)
    }
  }

  /// Where the other side does not know the call, or answers otherwise than it must: what is there instead of a fitting
  /// broker. It is asked only now, since a broker that fits need not say so.
  private static func misunderstanding(
    _ error: VarlinkClientError, of method: String, _ client: VarlinkClient
  ) -> AppExtensionError? {
    switch error {
    case .malformed: break
    case .errorReply(let reply):
      switch try? ServiceInterface.Failure(reply) {
      case .interfaceNotFound, .methodNotFound, .methodNotImplemented, .invalidParameter, .expectedMore,
        .expectedUpgrade:
        break
      default: return nil
      }
    default: return nil
    }
    let path = (try? path()) ?? ""
    guard
      let info = try? client.call(ServiceInterface.GetInfo(), timeout: .seconds(5)).reply
    else {
      return AppExtensionError(
        .brokerIncompatible, "what listens at \(path) is no broker that this program knows: \(error)")
    }
    let product = "\(info.product) \(info.version) of \(info.vendor)"
    guard info.interfaces.contains(BrokerInterface.name) else {
      return AppExtensionError(
        .brokerIncompatible, "at \(path) listens \(product), which is no broker of extensions")
    }
    return AppExtensionError(
      .brokerIncompatible,
      "the broker, \(product), does not fit this program: \(error); update extensiond or this program, and restart it"
    )
  }
}
