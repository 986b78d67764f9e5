internal import LinuxSystem

/// Where things are, and how the launcher was started.
public struct Settings: Sendable {
  /// Holds the lock and the socket.
  let directory: String
  /// Gets one byte when the launcher is ready. Only by hand, where no service manager starts the launcher.
  let readyDescriptor: CInt?
  let bubblewrap: String
  let busProxy: String
  /// The path of extension-init.
  let initProgram: String
  /// By hand: how long to wait for a broker before instances that nobody uses are ended.
  let idle: Duration

  var isByHand: Bool { readyDescriptor != nil }
  var socketPath: String { "\(directory)/io.extensiond.Launcher" }

  public init(arguments: [String]) throws(StartFailure) {
    switch arguments.count {
    case 0: readyDescriptor = nil
    case 2 where arguments[0] == "--ready-fd":
      guard let number = CInt(arguments[1]), number > 2, File.exists("/proc/self/fd/\(number)") else {
        throw StartFailure(.usage, "\(arguments[1]) is no open descriptor. Give --ready-fd one above 2.")
      }
      readyDescriptor = number
    default: throw StartFailure(.usage, "usage: extensiond-launcher [--ready-fd N]")
    }
    guard let runtime = CurrentProcess.environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") else {
      throw StartFailure(
        .configuration,
        "XDG_RUNTIME_DIR is not set. Log in with a session, or set it to a directory of your own.")
    }
    directory = "\(runtime)/extensiond/launcher"
    bubblewrap = CurrentProcess.environment("EXTENSIOND_BWRAP") ?? "/usr/bin/bwrap"
    busProxy = CurrentProcess.environment("EXTENSIOND_DBUS_PROXY") ?? "/usr/bin/xdg-dbus-proxy"
    initProgram =
      CurrentProcess.environment("EXTENSIOND_INIT")
      ?? "\(CurrentProcess.programDirectory ?? "/usr/libexec")/extension-init"
    let milliseconds = CurrentProcess.environment("EXTENSIOND_IDLE_MS").flatMap { Int($0) } ?? 10_000
    idle = .milliseconds(max(0, milliseconds))
  }
}
