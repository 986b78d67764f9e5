internal import LinuxSystem
internal import Varlink

/// Where the broker is, and how it comes to life where no service manager sees to that.
enum BrokerLocation {
  enum Door: String {
    case host = "broker/io.extensiond.Broker"
    case admin = "admin/io.extensiond.Admin"
  }

  static func path(_ door: Door) throws(VarlinkClientError) -> String {
    try runtime() + "/extensiond/" + door.rawValue
  }

  private static func runtime() throws(VarlinkClientError) -> String {
    guard let directory = CurrentProcess.environment("XDG_RUNTIME_DIR") else {
      throw .unreachable(path: "$XDG_RUNTIME_DIR/extensiond (XDG_RUNTIME_DIR is not set)", .noEntry)
    }
    return directory
  }

  /// Connects. By hand, a broker is started first where there is none.
  static func connect(_ door: Door) throws(VarlinkClientError) -> VarlinkClient {
    let path = try path(door)
    do throws(VarlinkClientError) {
      return try VarlinkClient(path: path)
    } catch {
      guard try !File.exists(runtime() + "/systemd/private"), let program, start(program) else { throw error }
      return try VarlinkClient(path: path)
    }
  }

  /// Beside this program, or where packages put it.
  private static var program: String? {
    let own = (try? File.readLink("/proc/self/exe")) ?? ""
    let directory = String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    return [directory + "/extensiond", directory + "/../libexec/extensiond", "/usr/libexec/extensiond"]
      .first(where: File.exists)
  }

  /// Starts a broker and waits until it serves.
  private static func start(_ program: String) -> Bool {
    do {
      let state =
        CurrentProcess.environment("XDG_STATE_HOME") ?? (CurrentProcess.environment("HOME") ?? "")
        + "/.local/state"
      try File.makeDirectories(state + "/extensiond")
      let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
      let log = SharedDescriptor(
        try File.open(state + "/extensiond/extensiond.log", [.writeOnly, .create, .append]))
      _ = try Spawn(
        path: program, arguments: [], environment: CurrentProcess.allEnvironment,
        descriptors: [null, log, log]
      ).run()
      let path = try path(.admin)
      for _ in 0..<500 {
        if (try? Socket.connect(to: path)) != nil { return true }
        CurrentProcess.pause(milliseconds: 20)
      }
    } catch {
      CurrentProcess.printError("extctl: cannot start \(program): \(error)")
    }
    return false
  }
}
