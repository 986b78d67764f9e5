import ExtensionFoundation
import LinuxSystem
import Synchronization

/// An unmodified program with windows: started with the instance's display as WAYLAND_SOCKET, once. What becomes of it
/// becomes of the instance, with the same exit status or signal.
@MainActor
final class ShownProgram {
  /// How long it has to end after SIGTERM.
  private static let patience = Duration.seconds(2)
  /// What the program has as descriptor 3.
  private static let display: CInt = 3
  /// SIGTERM was sent: its end is an answer to that.
  private nonisolated static let isEnding = Mutex(false)

  private let program: String
  private let arguments: [String]
  private var process: SharedProcess?
  /// The program's end of the display, until it has it: the number is this object's from the first look on.
  private var socket: SharedDescriptor?
  /// The host may look at its end of it.
  private var connection: SharedDescriptor?

  nonisolated init(_ program: String, _ arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }

  func start(_ connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    guard process == nil else { return .reject(reason: "the program is shown already, and runs once") }
    guard connection.hasDisplay, let socket = socket ?? Self.takeDisplay() else {
      return .reject(reason: "the program only shows something: connect with a display")
    }
    self.socket = socket
    var environment = CurrentProcess.allEnvironment.filter {
      !$0.hasPrefix("LISTEN_") && !$0.hasPrefix("WAYLAND_SOCKET=")
    }
    environment += ["EXTENSION_ACTIVATION=\(connection.activationID)", "WAYLAND_SOCKET=\(Self.display)"]
    if let scene = connection.sceneID { environment.append("EXTENSION_SCENE=\(scene)") }
    do {
      let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
      let errors = SharedDescriptor(try FileDescriptor.standardError())
      let process = SharedProcess(
        try Spawn(
          path: program, arguments: arguments, environment: environment,
          descriptors: [null, errors, errors, socket]
        ).run())
      self.process = process
      self.socket = nil
      self.connection = connection.takeSocket()
      try startThread { Self.follow(process) }
      return .accept
    } catch {
      return .reject(reason: "cannot run \(program): \(error)")
    }
  }

  private static func takeDisplay() -> SharedDescriptor? {
    guard let number = CurrentProcess.environment("WAYLAND_SOCKET").flatMap({ CInt($0) }),
      let display = FileDescriptor.inherited(number)
    else { return nil }
    return SharedDescriptor(display)
  }

  /// Waits for the program's end, and ends in the same way.
  private nonisolated static func follow(_ process: SharedProcess) {
    _ = try? Poll.readable(process.rawValue)
    // Whoever sent SIGTERM ends this process.
    let end = isEnding.withLock { $0 ? nil : try? process.process.reap() }
    switch end {
    case .exited(let status)?: CurrentProcess.exit(status)
    case .signaled(let signal, _)?:
      try? SharedProcess(processID: CurrentProcess.processID).send(signal: signal)
      // It may be one that ends nothing here.
      CurrentProcess.pause(milliseconds: 1000)
      CurrentProcess.exit(128 + signal)
    case nil: break
    }
  }

  /// What is left afterwards goes with the sandbox.
  func end() {
    Self.isEnding.withLock { $0 = true }
    process?.send(signal: Signals.terminate)
    if let process { _ = try? Poll.readable(process.rawValue, deadline: .now + Self.patience) }
  }
}
