internal import ExtensionInterfaces
internal import LinuxSystem
internal import Synchronization
internal import Varlink

/// A connection of this host to the broker. Calls block, so asynchronous callers go through `perform`.
final class HostConnection: Sendable {
  private let client: Mutex<VarlinkClient>

  /// Connects and says who this host is.
  init() throws {
    client = Mutex(try Self.connect())
  }

  static func connect() throws -> VarlinkClient {
    guard let host = AppExtensionHost.identifier else {
      throw AppExtensionPoint.Error.hostMustHaveBundleIdentifier
    }
    guard let directory = CurrentProcess.environment("XDG_RUNTIME_DIR") else {
      throw AppExtensionError(.brokerUnavailable, "XDG_RUNTIME_DIR is not set, so the broker cannot be found")
    }
    do throws(VarlinkClientError) {
      let client = try VarlinkClient(path: directory + "/extensiond/broker/io.extensiond.Broker")
      _ = try client.call(BrokerInterface.Hello(hostIdentifier: host), timeout: .seconds(10))
      return client
    } catch {
      throw AppExtensionError(error)
    }
  }

  func call<Method: VarlinkMethod>(_ method: Method) throws -> (Method.Reply, [SharedDescriptor]) {
    let result = client.withLock { client -> Result<(Method.Reply, [SharedDescriptor]), AppExtensionError> in
      do throws(VarlinkClientError) {
        let answer = try client.call(method, timeout: .seconds(60))
        return .success((answer.reply, answer.descriptors))
      } catch {
        return .failure(AppExtensionError(error))
      }
    }
    return try result.get()
  }

  /// Runs work that blocks on a thread of its own.
  static func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(Errno) {
        try startThread { continuation.resume(with: Result { try work() }) }
      } catch {
        continuation.resume(throwing: AppExtensionError(.failed, "no thread can be started: \(error)"))
      }
    }
  }
}
