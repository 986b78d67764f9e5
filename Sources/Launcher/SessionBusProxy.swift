internal import LauncherProtocol
internal import LinuxSystem

/// xdg-dbus-proxy between one instance and the person's bus: it passes on what is meant for the names that were asked for,
/// and answers everything else itself. It ends when the instance's first process has.
final class SessionBusProxy {
  /// Holds its socket, once there is one.
  let directory: String
  /// Gives one byte when the socket is there, and its end when there will be none. Whoever keeps it open keeps the proxy.
  let gate: SharedDescriptor

  let processID: Int32
  private let process: SharedProcess
  private var watch: EventLoop.Watch?
  /// The sandbox needs the directory, whatever became of the proxy.
  private var isWanted = true

  /// `errors`: what it writes stands among what the instance writes.
  init(
    _ destinations: [String], instance: String, tools: Tools, errors: SharedDescriptor,
    group: SharedDescriptor?, loop: EventLoop
  ) throws(LaunchFailure) {
    guard let address = Self.address else { throw LaunchFailure(stage: "sessionBus", errno: .noEntry) }
    directory = tools.busDirectory + "/" + instance
    let pipe: Pipe
    do throws(Errno) {
      // Left by a launcher that was killed.
      try? File.removeTree(directory)
      try File.makeDirectories(directory)
      pipe = try Pipe.make()
    } catch {
      throw LaunchFailure(stage: "sessionBus", errno: error)
    }
    let command = Spawn(
      path: tools.busProxy,
      arguments: ["--fd=3", address, directory + "/bus", "--filter"] + destinations.map { "--talk=\($0)" },
      environment: [], descriptors: [tools.null, tools.null, errors, pipe.writing], controlGroup: group)
    do throws(Spawn.Failure) {
      let child = try command.run()
      processID = child.processID
      process = SharedProcess(child)
    } catch {
      try? File.removeTree(directory)
      throw LaunchFailure(stage: "sessionBusProxy", errno: error.errno)
    }
    gate = pipe.reading
    // Until it has ended, also after the instance has.
    watch = try? loop.watch(process.rawValue, for: .readable) { _ in self.ended() }
  }

  /// The bus of the session that this launcher belongs to.
  private static var address: String? {
    if let address = CurrentProcess.environment("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
      return address
    }
    guard let runtime = CurrentProcess.environment("XDG_RUNTIME_DIR"), File.isSocket(runtime + "/bus") else {
      return nil
    }
    return "unix:path=\(runtime)/bus"
  }

  private func ended() {
    watch?.cancel()
    watch = nil
    _ = try? process.process.reap()
    if !isWanted { try? File.removeTree(directory) }
  }

  /// The instance has ended, or did not start.
  func end() {
    isWanted = false
    process.send(signal: Signals.kill)
    if watch == nil { try? File.removeTree(directory) }
  }
}
