internal import LinuxSystem
internal import Synchronization

/// This program as a host.
public enum AppExtensionHost {
  private static let chosen = Mutex<String?>(nil)

  /// The reverse-DNS identifier under which this program asks for extensions: the one of its bundle.
  ///
  /// Set it before anything else; unless it is set, the environment variable EXTENSIOND_HOST_IDENTIFIER holds.
  /// Without either, what needs it throws `AppExtensionPoint.Error.hostMustHaveBundleIdentifier`.
  public static var identifier: String? {
    get { chosen.withLock { $0 } ?? CurrentProcess.environment("EXTENSIOND_HOST_IDENTIFIER") }
    set { chosen.withLock { $0 = newValue } }
  }

  // MARK: The broker

  /// Whether there is a broker to ask.
  public enum BrokerStatus: Hashable, Sendable {
    /// It answers, and is of a version that this SDK understands.
    case available
    /// The error's code says why: `brokerUnavailable` may pass by itself, `brokerIncompatible` needs an update.
    case unavailable(AppExtensionError)
  }

  /// Asks whether there is a broker, without waiting for one to come. Any thread may ask; none is blocked.
  /// - Throws: `AppExtensionPoint.Error.hostMustHaveBundleIdentifier`.
  public static func brokerStatus() async throws -> BrokerStatus {
    do {
      try await Blocking.run { _ = try Broker.connect() }
      return .available
    } catch let error as AppExtensionError {
      return .unavailable(error)
    }
  }

  /// Returns when there is a broker: at once, or whenever one comes. For a host that may start before extensiond, or
  /// where extensiond is installed later; make the monitor afterwards. Looks every two seconds at most, and ends when
  /// the task is cancelled.
  /// - Throws: `CancellationError`; `AppExtensionError` where waiting is of no use: `brokerIncompatible`, or
  ///   `brokerUnavailable` without XDG_RUNTIME_DIR; `AppExtensionPoint.Error.hostMustHaveBundleIdentifier`.
  public static func waitForBroker() async throws {
    _ = try Broker.path()
    var pause = Duration.milliseconds(50)
    while case .unavailable(let error) = try await brokerStatus() {
      guard [.brokerUnavailable, .timedOut].contains(error.code) else { throw error }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(2))
    }
  }
}
