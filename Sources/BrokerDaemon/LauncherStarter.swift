internal import LinuxSystem

/// Starts the launcher where no service manager does, and above it a guard that takes what the launcher leaves when it is
/// killed: extension-init.
final class LauncherStarter {
  private let program: String
  private let guardProgram: String
  private let loop: EventLoop
  private let report: (String) -> Void
  private var process: SharedProcess?
  /// The guard. It ends with the launcher, and has the launcher's status.
  private(set) var processID: Int32?
  private var watch: EventLoop.Watch?
  private var readyWatch: EventLoop.Watch?

  init(program: String, guard guardProgram: String, loop: EventLoop, report: @escaping (String) -> Void) {
    self.program = program
    self.guardProgram = guardProgram
    self.loop = loop
    self.report = report
  }

  /// Starts one, unless the last one still runs. `ready` comes when it can be reached.
  func start(ready: @escaping () -> Void) {
    guard process == nil else { return }
    do {
      let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
      let errors = SharedDescriptor(try FileDescriptor.standardError())
      let pipe = try Pipe.make()
      let reading = pipe.reading
      let child = try Spawn(
        path: guardProgram, arguments: ["--guard", program, "--ready-fd", "3"],
        environment: CurrentProcess.allEnvironment, descriptors: [null, errors, errors, pipe.writing]
      ).run()
      processID = child.processID
      let process = SharedProcess(child)
      self.process = process
      watch = try loop.watch(process.rawValue, for: .readable) { [unowned self] _ in self.ended() }
      readyWatch = try loop.watch(reading.rawValue, for: .readable) { [unowned self] _ in
        self.readyWatch?.cancel()
        self.readyWatch = nil
        // Nothing but the end comes from one that could not start.
        if let bytes = try? reading.descriptor.read(upTo: 1), !bytes.isEmpty { ready() }
      }
    } catch {
      report("cannot start the launcher with \(guardProgram): \(error)")
    }
  }

  /// Ends the one that runs, which cannot be told otherwise.
  func end() { process?.send(signal: Signals.terminate) }

  private func ended() {
    guard let process, let end = try? process.process.reap() else { return }
    watch?.cancel()
    watch = nil
    self.process = nil
    processID = nil
    if end != .exited(status: 0) { report("the launcher ended: \(end)") }
  }
}
