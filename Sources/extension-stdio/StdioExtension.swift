import ExtensionFoundation
import LinuxSystem
import Synchronization

/// Serves an ordinary program as an extension: `Runtime` is `stdio`, or with --shown `wayland`. It runs in the program's
/// sandbox, and starts the program once for each connection, with the connection as its standard input and output; or, as
/// `ShownProgram` does it, for the display.
///
///     extension-stdio [--shown] PROGRAM [ARGUMENT…]
///
/// The program finds the scene's name in EXTENSION_SCENE and the activation's in EXTENSION_ACTIVATION. The connection
/// ends with it, and it reads the end of its input when the host closes the connection.
@main
struct StdioExtension: AppExtension {
  /// At one time, in one instance.
  private static let processLimit = 64
  private nonisolated static let processes = Mutex<[Int32: SharedProcess]>([:])

  private let program: String
  private let arguments: [String]
  private let shown: ShownProgram?

  init() {
    var words = CommandLine.arguments.dropFirst()
    // A program's path begins with / or a dot.
    let isShown = words.first == "--shown"
    if isShown { words.removeFirst() }
    guard let program = words.first else {
      Self.fail(64, "usage: extension-stdio [--shown] PROGRAM [ARGUMENT…]")
    }
    self.program = program
    arguments = Array(words.dropFirst())
    shown = isShown ? ShownProgram(program, arguments) : nil
    Signals.ignoreBrokenPipe()
  }

  var configuration: ConnectionHandler {
    ConnectionHandler { connection in shown?.start(connection) ?? start(connection) }
  }

  private func start(_ connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    guard Self.processes.withLock({ $0.count }) < Self.processLimit else {
      return .reject(reason: "\(Self.processLimit) connections are open, and each one has a process")
    }
    guard let socket = connection.takeSocket() else { return .reject(reason: "the connection is closed") }
    var environment = CurrentProcess.allEnvironment.filter { !$0.hasPrefix("LISTEN_") }
    environment.append("EXTENSION_ACTIVATION=\(connection.activationID)")
    if let scene = connection.sceneID { environment.append("EXTENSION_SCENE=\(scene)") }
    do {
      let errors = SharedDescriptor(try FileDescriptor.standardError())
      let child = try Spawn(
        path: program, arguments: arguments, environment: environment, descriptors: [socket, socket, errors]
      ).run()
      let processID = child.processID
      try Self.watch(SharedProcess(child), processID)
      return .accept
    } catch {
      return .reject(reason: "cannot run \(program): \(error)")
    }
  }

  /// Waits for the end of a process on a thread of its own.
  private nonisolated static func watch(_ process: SharedProcess, _ processID: Int32) throws(Errno) {
    processes.withLock { $0[processID] = process }
    try startThread {
      _ = try? Poll.readable(process.rawValue)
      switch try? process.process.reap() {
      case .exited(let status)? where status != 0:
        CurrentProcess.printError("extension-stdio: process \(processID) exited with status \(status)")
      case .signaled(let signal, _)?:
        CurrentProcess.printError("extension-stdio: process \(processID) was ended by signal \(signal)")
      default: break
      }
      _ = processes.withLock { $0.removeValue(forKey: processID) }
    }
  }

  /// What is left after a second goes with the sandbox.
  func extensionWillTerminate() {
    if let shown { return shown.end() }
    let living = Self.processes.withLock { Array($0.values) }
    let deadline = MonotonicTime.now + .seconds(1)
    for process in living { process.send(signal: Signals.terminate) }
    for process in living { _ = try? Poll.readable(process.rawValue, deadline: deadline) }
  }

  private static func fail(_ status: Int32, _ message: String) -> Never {
    CurrentProcess.printError("extension-stdio: \(message)")
    CurrentProcess.exit(status)
  }
}
