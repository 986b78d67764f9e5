internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// The broker, as this host asks it. Everything here blocks.
///
/// Each call has a connection of its own: none is broken when the broker comes back from a restart, and a host
/// that only holds activations holds no connection.
enum Broker {
  /// Connects, and says who this host is.
  static func connect() throws -> VarlinkClient {
    guard let host = AppExtensionHost.identifier else {
      throw AppExtensionPoint.Error.hostMustHaveBundleIdentifier
    }
    guard let directory = CurrentProcess.environment("XDG_RUNTIME_DIR") else {
      throw AppExtensionError(
        .brokerUnavailable, "XDG_RUNTIME_DIR is not set, so extensiond cannot be found; log in with a session"
      )
    }
    do throws(VarlinkClientError) {
      let client = try VarlinkClient(path: directory + "/extensiond/broker/io.extensiond.Broker")
      _ = try client.call(BrokerInterface.Hello(hostIdentifier: host), timeout: .seconds(10))
      return client
    } catch {
      throw AppExtensionError(error)
    }
  }

  static func call<Method: VarlinkMethod>(
    _ method: Method
  ) throws -> (reply: Method.Reply, descriptors: [SharedDescriptor]) {
    let client = try connect()
    do throws(VarlinkClientError) {
      let answer = try client.call(method, timeout: .seconds(60))
      return (answer.reply, answer.descriptors)
    } catch {
      throw AppExtensionError(error)
    }
  }
}
