internal import LinuxSystem

/// `extensiond --ephemeral DIRECTORY -- COMMAND`: a broker that nobody else reaches, as long as one command runs.
///
/// Everything of it is in one private directory, which becomes the command's XDG_RUNTIME_DIR.
final class EphemeralRun {
  static let usage = "extensiond --ephemeral DIRECTORY -- COMMAND [ARGUMENT…]"
  /// Bytes that a directory's path may have, so that its sockets can be bound: unix(7).
  private static let pathLimit = 64
  private static let patience: Duration = .seconds(5)

  let places: Places
  private let directory: String
  /// Of a file in it, as long as this process lives.
  private let lock: SharedDescriptor
  private let command: [String]
  private var process: SharedProcess?
  private var processID: Int32 = 0
  private var watches: [EventLoop.Watch] = []
  /// As a shell has it: the status, or 128 and the signal.
  private(set) var status: CInt = 0

  /// Makes the directory, and changes this process's variables to it. Before the first thread.
  init(arguments: [String]) throws(BrokerProgram.StartFailure) {
    guard arguments.count >= 3, arguments[1] == "--" else {
      throw .init(status: 64, description: "this is no command line; usage: \(Self.usage)")
    }
    let root: String
    do throws(Errno) {
      let bundles = try File.open(arguments[0], .directory)
      root = try File.readLink("/proc/self/fd/\(bundles.rawValue)")
    } catch {
      throw .init(
        status: BrokerProgram.ExitStatus.configuration,
        description: "cannot read the directory of bundles \(arguments[0]): \(error)")
    }
    command = Array(arguments.dropFirst(2))
    (directory, lock) = try Self.makeDirectory()
    places = Places(ephemeral: root, in: directory)
    Self.leaveSession(for: directory)
    Descendants.adopt()
  }

  private static let prefix = "extensiond-"
  private static let lockName = "owner"

  private static func makeDirectory() throws(BrokerProgram.StartFailure) -> (String, SharedDescriptor) {
    let runtime = CurrentProcess.environment("XDG_RUNTIME_DIR") ?? ""
    var failure = Errno.noEntry
    for base in [runtime, "/tmp"] where base.hasPrefix("/") {
      removeAbandoned(in: base)
      let name = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 36)
      let path = "\(base)/\(prefix)\(name)"
      guard path.utf8.count <= pathLimit else { continue }
      do throws(Errno) {
        try File.makeDirectory(path)
        let lock = SharedDescriptor(try File.open("\(path)/\(lockName)", [.readWrite, .create, .exclusive]))
        // Another one may take it for abandoned before it is locked.
        guard try File.tryLock(lock.descriptor), File.exists("\(path)/\(lockName)") else { throw .noEntry }
        return (path, lock)
      } catch {
        failure = error
      }
    }
    throw .init(
      status: BrokerProgram.ExitStatus.configuration,
      description: "cannot make a directory in $XDG_RUNTIME_DIR or /tmp: \(failure)")
  }

  /// Directories of those that were killed, and so could not remove them.
  private static func removeAbandoned(in base: String) {
    guard let directory = try? File.open(base, .directory),
      let entries = try? DirectoryReader.entries(of: directory.rawValue)
    else { return }
    for entry in entries where entry.isText && entry.name.hasPrefix(prefix) {
      let path = "\(base)/\(entry.name)"
      guard let status = try? FileStatus(at: path), status.kind == .directory,
        status.userID == CurrentProcess.userID,
        let lock = try? File.open("\(path)/\(lockName)", [.readWrite, .noFollow]),
        (try? File.tryLock(lock)) == true
      else { continue }
      try? File.removeTree(path)
    }
  }

  /// Nothing here belongs to the service manager or to the person's own broker. What the session offers the command
  /// beside its runtime directory stays where it is.
  private static func leaveSession(for directory: String) {
    let runtime = CurrentProcess.environment("XDG_RUNTIME_DIR") ?? ""
    for name in [
      "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
    ] {
      CurrentProcess.removeEnvironment(name)
    }
    if let display = CurrentProcess.environment("WAYLAND_DISPLAY"), !display.hasPrefix("/") {
      CurrentProcess.setEnvironment("WAYLAND_DISPLAY", "\(runtime)/\(display)")
    }
    if CurrentProcess.environment("DBUS_SESSION_BUS_ADDRESS") == nil, File.isSocket("\(runtime)/bus") {
      CurrentProcess.setEnvironment("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(runtime)/bus")
    }
    CurrentProcess.setEnvironment("XDG_RUNTIME_DIR", directory)
  }

  // MARK: The command

  /// Starts the command. `own`: the children that somebody else here waits for. `ended` comes once.
  func start(
    on loop: EventLoop, own: @escaping () -> [Int32], ended: @escaping () -> Void
  ) throws(BrokerProgram.StartFailure) {
    let child = try spawn()
    processID = child.processID
    let process = SharedProcess(child)
    self.process = process
    do throws(Errno) {
      watches = [
        try loop.watch(process.rawValue, for: .readable) { [unowned self] _ in
          guard let end = try? process.process.reap() else { return }
          self.watches[0].cancel()
          self.status =
            switch end {
            case .exited(let status): status
            case .signaled(let signal, _): 128 + signal
            }
          ended()
        },
        // What comes from the terminal, the command has got itself.
        try Signals.watch([Signals.terminate, Signals.interrupt, Signals.hangUp], on: loop) {
          signal, isFromKernel in
          if !isFromKernel { process.send(signal: signal) }
        },
        try Signals.watch([Signals.childEnded], on: loop) { [unowned self] _ in
          Descendants.reapAdopted(own: Set(own() + [self.processID]))
        },
      ]
    } catch {
      throw .init(
        status: BrokerProgram.ExitStatus.unavailable, description: "cannot wait for \(command[0]): \(error)")
    }
  }

  private func spawn() throws(BrokerProgram.StartFailure) -> Spawn.Child {
    var found: String?
    if command[0].contains("/") {
      found = command[0]
    } else {
      let search = CurrentProcess.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
      let paths = search.split(separator: ":").map { "\($0)/\(command[0])" }
      found = paths.first { (try? FileStatus(at: $0, followLinks: true))?.kind == .regular }
    }
    guard let path = found else {
      throw .init(status: 127, description: "there is no command \(command[0]) in PATH")
    }
    var spawn = Spawn(
      path: path, arguments: Array(command.dropFirst()), environment: CurrentProcess.allEnvironment,
      descriptors: [])
    spawn.standsIn = true
    do throws(Spawn.Failure) { return try spawn.run() } catch {
      throw .init(
        status: error.errno == .noEntry ? 127 : 126, description: "cannot run \(path): \(error.errno)")
    }
  }

  // MARK: The end

  /// Ends all that was started, here or by the command, and removes the directory.
  func cleanUp() {
    Descendants.endAll(patience: Self.patience)
    let deadline = MonotonicTime.now + Self.patience
    while true {
      do throws(Errno) { return try File.removeTree(directory) } catch {
        // The broker's own workers may still be busy with their databases.
        if [.notEmpty, .noEntry].contains(error), MonotonicTime.now < deadline {
          if !File.exists(directory) { return }
          CurrentProcess.pause(milliseconds: 5)
          continue
        }
        return CurrentProcess.printError(
          "extensiond: cannot remove \(directory): \(error); remove it yourself")
      }
    }
  }
}
