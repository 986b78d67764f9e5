internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

/// Starts instances, keeps them, and tells the broker of their ends. Belongs to the thread that runs it: the kernel
/// ends sandboxes with the thread that started them.
public final class Launcher {
  static let noteLimit = 4096
  /// From SIGTERM to SIGKILL.
  static let grace: Duration = .seconds(2)

  let settings: Settings
  let tools: Tools
  let groups: ControlGroups?
  let loop: EventLoop
  let journal = JournalSocket()
  var instances: [String: Instance] = [:]
  var leases: [String: Lease] = [:]
  var broker: BrokerConnection?
  var starts = StartCounter()
  /// For the next instance.
  var spareChannels: InstanceChannels?
  var isStopping = false
  /// By hand: no broker has come for so long that nobody keeps instances but their hosts.
  var isAbandoned = false
  var idleTimer: EventLoop.Timer?

  private let endpoint: Endpoint
  private let ownGroup: String
  private var watches: [EventLoop.Watch] = []

  /// Takes the socket. `Signals.prepareProcess()` comes first.
  public init(settings: Settings) throws(StartFailure) {
    self.settings = settings
    tools = try Tools(settings: settings)
    CurrentProcess.raiseDescriptorLimit()
    endpoint = try Endpoint(settings: settings)
    ownGroup = ControlGroup.path(ofProcess: CurrentProcess.processID) ?? "/"
    groups = ControlGroups(path: ownGroup)
    if groups == nil { Descendants.adopt() }
    do throws(Errno) {
      loop = try EventLoop()
      let ignored = settings.isByHand ? [] : [Signals.interrupt]
      watches = [
        try Signals.watch([Signals.terminate] + ignored, on: loop) { [unowned self] _ in self.stop() },
        try loop.watch(endpoint.listener.rawValue, for: .readable) { [unowned self] _ in self.accept() },
      ]
    } catch {
      throw StartFailure(.system, "cannot wait for events: \(error)")
    }
  }

  /// Returns when the launcher has been told to stop and every instance has ended.
  public func run() throws(StartFailure) {
    ServiceManager.ready()
    if let number = settings.readyDescriptor { try? FileDescriptor(owning: number).write(all: [1]) }
    becomeIdle()
    makeSpareChannels()
    do throws(Errno) { try loop.run() } catch {
      throw StartFailure(.system, "cannot wait for events: \(error)")
    }
  }

  /// Without descriptors there is none, and the launch that wants some fails if there are none then.
  func makeSpareChannels() {
    if spareChannels == nil { spareChannels = try? InstanceChannels() }
  }

  // MARK: The broker

  private func accept() {
    while let connection = try? Socket.accept(endpoint.listener.descriptor) {
      guard isAllowed(connection) else { continue }
      let socket = SharedDescriptor(connection)
      guard broker == nil else {
        _ = try? Socket.send(LauncherInterface.Busy().reply.encoded().dropLast(), to: socket.rawValue)
        continue
      }
      broker = try? BrokerConnection(
        socket: socket, loop: loop, onCall: { [unowned self] in self.handle($0, $1) },
        onClose: { [unowned self] in self.brokerClosed() })
      idleTimer?.cancel()
      isAbandoned = false
    }
  }

  /// The same user's, and under a service manager the broker's own service. A guard against accidents and
  /// sandboxes, not against a process of the same user that means harm: docs/security.md.
  private func isAllowed(_ connection: borrowing FileDescriptor) -> Bool {
    guard let peer = try? PeerCredentials(of: connection), peer.userID == CurrentProcess.userID else {
      return false
    }
    let suffix = "/\(ControlGroups.serviceName)"
    guard ownGroup.hasSuffix(suffix) else { return true }
    return ControlGroup.path(ofProcess: peer.processID) == ownGroup.dropLast(suffix.count)
      + "/extensiond.service"
  }

  private func brokerClosed() {
    broker = nil
    becomeIdle()
  }

  func tell(_ event: some VarlinkMethod, descriptors: [SharedDescriptor] = []) {
    guard let broker, broker.isGreeted else { return }
    broker.send(event.call().encoded(), descriptors: descriptors)
  }

  // MARK: Instances

  func handlers() -> Instance.Handlers {
    Instance.Handlers(
      executed: { [unowned self] in self.tell(LauncherEventsInterface.Executed(instance: $0.name)) },
      stopped: { [unowned self] in
        self.tell(LauncherEventsInterface.Stopped(instance: $0.name, pid: Int($1)))
      },
      memoryPressure: { [unowned self] in if let pressure = $0.memoryPressure { self.tell(pressure) } },
      ended: { [unowned self] in self.instanceEnded($0) },
      leavesOrphans: { [unowned self] in self.endOrphans() },
      output: { [unowned self] instance, lines, dropped in
        guard let broker = self.broker, broker.isGreeted else { return true }
        let event = LauncherEventsInterface.Output(
          instance: instance.name, extension: instance.extensionName, lines: lines, dropped: dropped)
        return broker.sendIfIdle(event.call().encoded())
      })
  }

  private func instanceEnded(_ instance: Instance) {
    for lease in leases.values where lease.instance == instance.name { lease.end(.instance) }
    if let end = instance.ended { tell(end) }
    reportCount()
    checkEnd()
  }

  func reportCount() {
    if !isStopping { ServiceManager.status(instances: instances.values.count { $0.isLiving }) }
  }
}
