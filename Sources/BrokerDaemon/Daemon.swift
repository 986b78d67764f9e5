internal import BrokerCore
internal import ExtensionInterfaces
internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

/// The broker's process: brings it events, performs its effects. Everything here is on the loop's thread.
final class Daemon {
  let loop: EventLoop
  let places: Places
  let journal: Journal
  private(set) var broker: Broker
  let limits: Limits
  let generation: String
  private let since = WallClock.milliseconds
  private let byHand: Bool

  /// SQLite; walks and hashes go to another one, so that a decision never waits for them.
  let storeWorker: Worker
  let store: DecisionStore
  /// For what extensions made large: it may take its time.
  let sandboxWorker: Worker
  let containers: ContainerWatch
  var link: LauncherLink?
  private var starter: LauncherStarter?
  var bundles: BundleSource?
  private var policy: PolicySource?
  private(set) lazy var notifier = Notifier(
    loop: loop, worker: storeWorker, warn: { [unowned self] in self.warn($0) },
    onShown: { [unowned self] in self.remember($1, of: $0) })

  private var listeners: [(listener: Listener, watch: EventLoop.Watch)] = []
  private var peers: [PeerID: PeerConnection] = [:]
  private var connectionsByProcess: [Int32: Int] = [:]
  private var nextPeer: UInt64 = 0

  var channels: [String: ControlChannel] = [:]
  /// The hosts' ends, until they are handed over.
  var leases: [String: SharedDescriptor] = [:]
  var connections: [ConnectionID: SharedDescriptor] = [:]
  var displays: [String: SharedDescriptor] = [:]
  /// For the next connection.
  var sparePair: (SharedDescriptor, SharedDescriptor)?
  /// Directories that were checked, until they are launched from.
  var checkedBundles: [String: SharedDescriptor] = [:]

  /// Instances for which the launcher is not asked yet.
  var preparing: [String: Preparing] = [:]
  var nextOrder: UInt64 = 0
  /// Looks at the person's directories, and makes some, for launches.
  let homeWorker: Worker
  /// Removes what forgotten extensions have stored: rarely, and then it may take long.
  private(set) lazy var removalWorker: Worker = Worker.started(on: loop) ?? storeWorker
  /// Containers that are being removed, and how often that was asked for.
  var removing: [String: Int] = [:]

  private var queue: [Event] = []
  private var isHandling = false
  private var timer: EventLoop.Timer?
  private var timerTime: Int64?
  private var warnings: [String] = []

  init(
    loop: EventLoop, places: Places, store: DecisionStore, byHand: Bool, approval: Approval
  ) throws(Errno) {
    self.loop = loop
    self.places = places
    self.store = store
    self.byHand = byHand
    let limits = Limits.ofEnvironment
    self.limits = limits
    sandboxWorker = try Worker(loop: loop)
    containers = ContainerWatch(
      directory: places.containers, limits: limits, worker: sandboxWorker, loop: loop)
    generation = String(UInt64.random(in: .min ... .max), radix: 16)
    // Whoever runs tests wants to read what they say.
    let journal = Journal(quiet: approval == .everything)
    self.journal = journal
    broker = Broker(
      generation: generation, languages: CurrentProcess.languages, limits: limits, approval: approval,
      logLevel: journal.threshold)
    storeWorker = try Worker(loop: loop)
    try storeWorker.start()
    homeWorker = try Worker(loop: loop)
  }

  /// Begins everything. Returns at once; what it finds comes as events.
  func start(listeners: [Listener]) throws(Errno) {
    let store = store
    storeWorker.perform {
      Result { try store.current() }
    } completion: { [unowned self] result in
      switch result {
      case .success(let decisions): self.handle(.decisionsLoaded(decisions))
      case .failure(let error):
        self.warn("the decisions cannot be read, so every extension counts as unapproved: \(error)")
        self.handle(.decisionsLoaded([]))
      }
    }
    startAnnouncing()
    policy = PolicySource(
      places.policy, worker: storeWorker, loop: loop, warn: { [unowned self] in self.warn($0) },
      onPolicy: { [unowned self] in self.handle(.policyLoaded($0)) })
    bundles = try BundleSource(
      roots: places.roots, cachePath: places.digests, patience: .milliseconds(limits.scanDeadline),
      loop: loop,
      warn: { [unowned self] in self.warn($0) },
      onEvent: { [unowned self] in self.handle($0) })
    bundles?.scanAll()
    let starter =
      byHand
      ? LauncherStarter(program: places.launcherProgram, guard: places.initProgram, loop: loop) {
        [unowned self] in self.warn($0)
      } : nil
    self.starter = starter
    let link = LauncherLink(path: places.launcherSocket, generation: generation, loop: loop, starter: starter)
    {
      [unowned self] in self.take($0)
    }
    self.link = link
    link.connect()
    for listener in listeners {
      let watch = try loop.watch(listener.socket.rawValue, for: .readable) { [unowned self] _ in
        self.accept(listener)
      }
      self.listeners.append((listener, watch))
    }
  }

  /// The launcher's guard, where it is a child of this process.
  var launcherProcess: Int32? { starter?.processID }

  /// The end that was asked for. By hand the launcher ends too; a service manager decides about it by itself.
  func shutDown(then: @escaping () -> Void) {
    for (_, watch) in listeners { watch.cancel() }
    listeners = []
    link?.close(stop: byHand, then: then)
  }

  func warn(_ message: String) {
    if warnings.count < 50, !warnings.contains(message) { warnings.append(message) }
    journal.write(LogEntry(level: .warning, message: message, fields: [:]))
  }

  // MARK: Events

  /// Takes an event in. One that comes while another is being handled waits for its turn.
  func handle(_ event: Event) {
    guard !isHandling else { return queue.append(event) }
    isHandling = true
    process(event)
    while !queue.isEmpty { process(queue.removeFirst()) }
    isHandling = false
    armTimer()
  }

  private func process(_ event: Event) {
    let now = Moment(monotonic: MonotonicTime.now.milliseconds, wall: WallClock.milliseconds)
    for effect in broker.handle(event, at: now) { perform(effect) }
  }

  private func armTimer() {
    let next = broker.nextDeadline
    guard next != timerTime else { return }
    timer?.cancel()
    timer = nil
    timerTime = next
    guard let next else { return }
    timer = loop.schedule(at: MonotonicTime(nanoseconds: (next + 1) * 1_000_000)) { [unowned self] in
      self.timerTime = nil
      self.handle(.time)
    }
  }

  // MARK: Peers

  private func accept(_ listener: Listener) {
    for _ in 0..<limits.messagesPerTurn {
      do throws(Errno) {
        guard let socket = try Socket.accept(listener.socket.descriptor) else { return }
        add(socket, door: listener.door)
      } catch .tooManyDescriptors {
        warn("no descriptors are left, so a connection is refused; raise LimitNOFILE")
        pauseAccepting()
        return
      } catch {
        return
      }
    }
  }

  /// The waiting connection would wake us for ever; a second later there may be room.
  private func pauseAccepting() {
    for (_, watch) in listeners { watch.setInterest([]) }
    loop.schedule(after: .seconds(1)) { [unowned self] in
      for (_, watch) in self.listeners { watch.setInterest(.readable) }
    }
  }

  private func add(_ socket: consuming FileDescriptor, door: Peer.Door) {
    guard let peer = try? PeerInspector.inspect(socket, door: door) else { return }
    let process = peer.process.processID
    guard peers.count < limits.connections,
      connectionsByProcess[process, default: 0] < limits.connectionsPerProcess
    else {
      journal.write(
        LogEntry(
          level: .warning,
          message: "process \(process) is refused a connection: a limit is reached, see 'extctl status'",
          fields: [:]))
      return
    }
    nextPeer += 1
    let id = PeerID(nextPeer)
    guard let connection = try? PeerConnection(socket, id: id, peer: peer, on: loop, limits: limits) else {
      return
    }
    peers[id] = connection
    connectionsByProcess[process, default: 0] += 1
    connection.onEvent = { [unowned self] event in
      if case .adminCall(_, .status, _) = event { self.handle(.facts(self.facts)) }
      self.handle(event)
    }
    connection.onEnd = { [unowned self] cause in self.remove(id, cause) }
    handle(.peerOpened(id, peer))
  }

  private func remove(_ id: PeerID, _ cause: String?) {
    guard let connection = peers.removeValue(forKey: id) else { return }
    let process = connection.peer.process.processID
    connectionsByProcess[process, default: 1] -= 1
    if connectionsByProcess[process] == 0 { connectionsByProcess[process] = nil }
    if let cause {
      journal.write(
        LogEntry(
          level: .warning, message: "closed a connection of process \(process): \(cause)", fields: [:]))
    }
    handle(.peerClosed(id))
  }

  private var facts: DaemonFacts {
    var facts = DaemonFacts()
    facts.version = Version.current
    facts.processID = Int(CurrentProcess.processID)
    facts.since = since
    facts.roots = bundles?.rows ?? []
    facts.descriptors = CurrentProcess.openDescriptors
    facts.warnings = warnings
    return facts
  }

  // MARK: Effects

  private func perform(_ effect: Effect) {
    switch effect {
    case .reply(let request, let value, let sources, let continues):
      let descriptors = sources.compactMap(take)
      peers[request.peer]?.reply(request, value.reply(continues: continues), descriptors: descriptors)
    case .tell(let requests, let value):
      let message = value.reply(continues: true).encoded()
      for request in requests { peers[request.peer]?.tell(request, message) }
    case .fail(let request, let error): peers[request.peer]?.reply(request, error.reply)
    case .checkBundle(let instance, let path, let digest): check(instance, path, digest)
    case .inspect(let request, let instance): inspect(instance, request)
    case .measure(let request, let instances):
      measure(instances.map { .init(instance: $0.id, processID: $0.processID) }, request)
    case .watchContainer(let instance, let identifier):
      containers.watch(instance, of: identifier) { [unowned self] in
        self.handle(.containerMeasured(instance: instance, $0))
      }
    case .releaseBundle(let instance): checkedBundles[instance] = nil
    case .storeDecision(let request, let decision): storeDecision(decision, request)
    case .importDecisions(let request, let decisions): importDecisions(decisions, request)
    case .removeContainer(let request, let identifier, let peer):
      removeContainer(of: identifier, request, by: peer)
    case .forgetExtension(let request, let identifier, let decisions):
      forgetExtension(identifier, decisions, request)
    case .notePresent(let identifiers): notePresent(identifiers)
    case .readHistory(let request, let identifier): readHistory(identifier, request)
    case .scanAll(let serial): bundles?.scanAll(serial)
    case .scan(let path): bundles?.scan(path)
    case .develop(let path):
      bundles?.develop(path) { [unowned self] in self.handle(.developed(path: path, $0)) }
    case .withdraw(let path): bundles?.withdraw(path)
    case .watchContent(let path, let wanted): bundles?.watchContent(of: path, wanted)
    case .keepLease(let activation, let instance, let note): keepLease(activation, instance, note)
    case .dropLease(let activation): leases[activation] = nil
    case .dropConnection(let connection): connections[connection] = nil
    case .dropDisplay(let instance): displays[instance] = nil
    case .start(let instance, let call, let identifier, let point):
      channels[instance]?.send(
        ExtensionInterface.Start(
          call: call, extension: identifier, extensionPoint: point, context: JSONObject()
        ).call())
    case .accept(let instance, let call, let connection, let activation, let scene, let display):
      accept(instance, call, connection, activation, scene, display: display)
    case .tellMemoryPressure(let instance, let call, let used, let limit):
      channels[instance]?.send(
        ExtensionInterface.MemoryPressure(call: call, used: used, limit: limit, context: JSONObject()).call())
    case .stop(let instance, let call):
      channels[instance]?.send(ExtensionInterface.Stop(call: call, context: JSONObject()).call())
    case .announce(let announcements, let further): announce(announcements, further: further)
    case .withdrawAnnouncements(let contents): withdraw(contents)
    case .log(let entry): journal.write(entry)
    default: performWithLauncher(effect)
    }
  }

  private func performWithLauncher(_ effect: Effect) {
    guard let link else { return }
    switch effect {
    case .launch(let order): launch(order)
    case .endLease(let activation):
      link.call { LauncherInterface.EndLease(request: $0, activation: activation) }
    case .setNote(let subject, let note):
      link.call { LauncherInterface.SetNote(request: $0, subject: subject, note: note) }
    case .terminate(let instance):
      if endPreparing(instance) { return }
      link.call { LauncherInterface.Terminate(request: $0, instance: instance) }
    case .kill(let instance):
      if endPreparing(instance) { return }
      link.call { LauncherInterface.Kill(request: $0, instance: instance) }
    case .forget(let instance): link.call { LauncherInterface.Forget(request: $0, instance: instance) }
    case .settled:
      // A broker that crashes on what it restored does so soon. Tests kill brokers faster than that.
      let wait = CurrentProcess.environment("EXTENSIOND_SETTLE_MS").flatMap(Int64.init) ?? 250
      loop.schedule(after: .milliseconds(wait)) { [weak link] in
        link?.call { LauncherInterface.Settled(request: $0) }
      }
    default: break
    }
  }

  private func take(_ source: DescriptorSource) -> SharedDescriptor? {
    switch source {
    case .lease(let activation): leases.removeValue(forKey: activation)
    case .connection(let connection): connections.removeValue(forKey: connection)
    case .display(let instance): displays.removeValue(forKey: instance)
    }
  }
}
