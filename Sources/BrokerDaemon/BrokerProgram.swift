internal import BrokerCore
internal import ExtensionInterfaces
internal import LinuxSystem

/// The broker as a program: what stands between `main` and the loop.
public enum BrokerProgram {
  enum ExitStatus {
    static let configuration: CInt = 78
    static let unavailable: CInt = 69
    static let otherBroker: CInt = 3
  }

  /// Runs until it is told to end. Never returns.
  public static func run(arguments: [String]) -> Never {
    Signals.prepareProcess()
    if arguments.contains("--version") { say("extensiond \(Version.current)") }
    if arguments.contains("--limits") { say(limitsPage) }
    if arguments.first == "--ephemeral" { runEphemeral(Array(arguments.dropFirst())) }
    if let argument = arguments.first {
      CurrentProcess.printError(
        "extensiond: there is no option '\(argument)'; there are --version, --limits and '\(EphemeralRun.usage)'"
      )
      CurrentProcess.exit(64)
    }
    do {
      let places: Places
      do { places = try Places() } catch {
        throw StartFailure(status: ExitStatus.configuration, description: error.description)
      }
      try start(places)
      CurrentProcess.exit(0)
    } catch {
      CurrentProcess.printError("extensiond: \(error)")
      if ServiceManager.isThere { waitBeforeNextTry(because: "\(error)") }
      CurrentProcess.exit((error as? StartFailure)?.status ?? ExitStatus.unavailable)
    }
  }

  /// Not print(): the exit leaves what that has buffered for a pipe.
  private static func say(_ text: String) -> Never {
    try? FileDescriptor.standardOutput().write(all: Array((text + "\n").utf8))
    CurrentProcess.exit(0)
  }

  private static func runEphemeral(_ arguments: [String]) -> Never {
    var run: EphemeralRun?
    var status: CInt
    do {
      let made = try EphemeralRun(arguments: arguments)
      run = made
      try start(made.places, for: made)
      status = made.status
    } catch {
      CurrentProcess.printError("extensiond: \(error)")
      status = (error as? StartFailure)?.status ?? ExitStatus.unavailable
    }
    run?.cleanUp()
    CurrentProcess.exit(status)
  }

  /// The unit restarts a crashed broker at once and for ever, but what is wrong here takes a person to mend.
  private static func waitBeforeNextTry(because cause: String) {
    ServiceManager.status("cannot start, next try in 5 s: \(cause)")
    guard let loop = try? EventLoop(),
      let signals = try? Signals.watch(
        [Signals.terminate, Signals.interrupt], on: loop, handler: { _ in loop.stop() })
    else { return }
    loop.schedule(after: .seconds(5)) { loop.stop() }
    try? loop.run()
    withExtendedLifetime(signals) {}
  }

  /// docs/limits.md.
  private static var limitsPage: String {
    let rows = Limits().table.map { "| \($0.name) | \($0.value) | \($0.meaning) |" }
    return """
      # Limits

      Made by `extensiond --limits` from the one value that holds them (`Sources/BrokerCore/Limits.swift`). `extctl status`
      prints those of the broker that runs.

      | name | value | meaning |
      |---|---|---|
      \(rows.joined(separator: "\n"))
      """
  }

  struct StartFailure: Error, CustomStringConvertible {
    let status: CInt
    let description: String
  }

  /// Returns when the broker has ended as it should.
  private static func start(_ places: Places, for ephemeral: EphemeralRun? = nil) throws {
    for directory in [places.runtime, places.state] {
      do throws(Errno) { try File.makeDirectories(directory) } catch {
        throw StartFailure(
          status: ExitStatus.configuration, description: "cannot make the directory \(directory): \(error)")
      }
    }
    // Without it bundles are hashed again at each start.
    try? File.makeDirectories(places.cache)
    let lock = try acquireLock(places)
    let inherited = try Listener.inherited(places: places)
    let byHand = inherited.isEmpty
    let listeners = byHand ? try Listener.own(places: places) : inherited
    let store: DecisionStore
    do { store = try DecisionStore(path: places.decisions) } catch {
      throw StartFailure(status: ExitStatus.configuration, description: error.description)
    }
    let loop = try EventLoop()
    let daemon = try Daemon(
      loop: loop, places: places, store: store, byHand: byHand,
      approval: ephemeral == nil ? .person : .everything)
    func end() {
      ServiceManager.stopping()
      daemon.shutDown { loop.stop() }
      // A launcher that hangs does not keep us.
      loop.schedule(after: .seconds(5)) { loop.stop() }
    }
    var signals: EventLoop.Watch?
    if let ephemeral {
      // Before the limit below is another one. Its calls wait in the sockets until they are served.
      try ephemeral.start(on: loop, own: { daemon.launcherProcess.map { [$0] } ?? [] }, ended: end)
    } else {
      signals = try Signals.watch([Signals.terminate, Signals.interrupt], on: loop) { _ in end() }
    }
    CurrentProcess.raiseDescriptorLimit()
    try daemon.start(listeners: listeners)
    ServiceManager.ready("serving")
    ServiceManager.feedWatchdog(on: loop)
    if !ServiceManager.isThere, ephemeral == nil {
      CurrentProcess.printError("extensiond: serving at \(places.brokerSocket)")
    }
    try loop.run()
    withExtendedLifetime((lock, signals, daemon)) {}
  }

  /// One broker for a person: whoever has the lock.
  private static func acquireLock(_ places: Places) throws -> SharedDescriptor {
    let lock = SharedDescriptor(
      try File.open(places.runtime + "/broker.lock", [.readWrite, .create, .noFollow]))
    guard try File.tryLock(lock.descriptor) else {
      throw StartFailure(
        status: ExitStatus.otherBroker,
        description: "another extensiond serves \(places.runtime) already; 'extctl status' shows it")
    }
    return lock
  }
}
