internal import LinuxSystem
internal import Varlink

/// Where the broker is, and how it comes to life where no service manager sees to that.
enum BrokerLocation {
  enum Door: String {
    case host = "broker/io.extensiond.Broker"
    case admin = "admin/io.extensiond.Admin"
  }

  static let unitMend = "systemctl --user enable --now extensiond.socket"

  /// What to do where there is no broker.
  static var mend: String {
    hasServiceManager
      ? "start it with '\(unitMend)'"
      : "start it with 'extensiond'; 'extctl doctor' looks for what is missing"
  }

  static func runtimeDirectory() throws(ControlError) -> String {
    guard let directory = CurrentProcess.environment("XDG_RUNTIME_DIR") else {
      throw ControlError(
        .unavailable,
        "XDG_RUNTIME_DIR is not set, so there is no telling where the broker is; log in through a session manager, "
          + "or set it to a directory of your own with mode 0700, and start 'extensiond'")
    }
    return directory
  }

  static func path(_ door: Door) throws(ControlError) -> String {
    try runtimeDirectory() + "/extensiond/" + door.rawValue
  }

  /// The file that a broker locks as long as it lives.
  static var lock: String {
    get throws(ControlError) { try runtimeDirectory() + "/extensiond/broker.lock" }
  }

  /// Whether a systemd of the user runs here.
  static var hasServiceManager: Bool {
    (try? runtimeDirectory()).map { File.exists($0 + "/systemd/private") } ?? false
  }

  /// Connects. Where no service manager would start a broker, one is started first if there is none.
  static func connect(_ door: Door) throws(ControlError) -> VarlinkClient {
    let path = try path(door)
    do throws(VarlinkClientError) {
      return try VarlinkClient(path: path)
    } catch {
      guard case .unreachable(_, let errno) = error, [.noEntry, .connectionRefused].contains(errno),
        !hasServiceManager, let program = BrokerStarter.program
      else { throw ControlError(error) }
      try BrokerStarter.start(program)
    }
    do throws(VarlinkClientError) { return try VarlinkClient(path: path) } catch { throw ControlError(error) }
  }
}
