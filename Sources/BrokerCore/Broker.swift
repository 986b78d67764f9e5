internal import ExtensionInterfaces
internal import Varlink

/// Everything that the broker knows and decides, as a value: an event goes in, what is to be done comes out.
///
/// No clock, no descriptor, no thread. Whoever holds it performs the effects in order, and tells what came of them
/// as further events.
public struct Broker: Sendable {
  public let limits: Limits
  /// Names this run of the broker.
  public let generation: String
  /// What has a higher one is not logged.
  let logLevel: LogEntry.Level
  /// What the person reads, best first, for peers that do not say it themselves.
  let languages: [String]

  /// Whether anything can wait for the person.
  public var announces: Bool { catalog.approval == .person }

  /// When `Event.time` must come at the latest, in monotonic milliseconds.
  public private(set) var nextDeadline: Int64?

  var now = Moment(monotonic: 0, wall: 0)
  var effects: [Effect] = []
  private var nextNumber = 0

  var catalog: Catalog
  var sessions: [PeerID: Session] = [:]
  /// Those of them that have a stream, oldest first: what happens is told to few, and there may be very many others.
  var watchers: [PeerID] = []
  var developers: [PeerID] = []
  var listeners: [HostKey: [PeerID]] = [:]
  var feeds: [Feed.Key: Feed] = [:]
  var instances: [String: Instance] = [:]
  var activations: [String: Activation] = [:]
  var endedActivations: [String: EndedActivation] = [:] { didSet { earliestEnd = nil } }
  /// Oldest first.
  var endedOrder: [String] = []
  /// By digest.
  var crashes: [String: CrashHistory] = [:]
  /// What became of the last try to start an extension, by identifier.
  var attempts: [String: Attempt] = [:]
  /// What an extension last answered, by identifier.
  var handshakes: [String: String] = [:]
  /// What hosts say of extensions, by identifier, oldest first.
  var reports: [String: [Report]] = [:]
  /// By host, what it asked for lately that is bounded in time.
  var quotas: [HostKey: Quotas] = [:]
  var logs: [String: [String]] = [:]
  var announcements = Announcements()
  var launcher = LauncherState.unknown
  /// Instances that ended while no broker was there, until the launcher's table is complete.
  var restoredEnds: [(instance: String, note: String, end: InstanceEnd)] = []
  var facts = DaemonFacts()

  /// Calls that came before the broker knew enough to answer.
  private var early: [Event] = []
  private var decisionsAreLoaded = false
  private var policyIsLoaded = false
  private var hasNotedPresent = false
  private var isScanned = false
  /// What is in there may be all that it ever was.
  private(set) var unreadRoots: Set<String> = []
  var rescans: [(request: RequestID, serial: Int)] = []
  var stops: [StopRequest] = []

  public init(
    generation: String, languages: [String] = [], limits: Limits = Limits(), approval: Approval = .person,
    logLevel: LogEntry.Level = .debug
  ) {
    self.logLevel = logLevel
    self.generation = generation
    self.languages = languages
    self.limits = limits
    catalog = Catalog(approval: approval)
  }

  /// Takes one event in and says what is to be done about it.
  public mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
    self.now = now
    dispatch(event)
    let effects = effects
    self.effects = []
    nextDeadline = earliestDeadline()
    return effects
  }

  /// Of the ends that hosts were not told of, `.max` for none; nil where one has changed since. They are the most, and
  /// nearly every event leaves them as they are.
  private var earliestEnd: Int64?

  private mutating func earliestDeadline() -> Int64? {
    let ofEnds =
      earliestEnd ?? endedActivations.values.lazy.filter { $0.instance != nil }.map(\.deadline).min() ?? .max
    earliestEnd = ofEnds
    var next = min(ofEnds, announcementDeadline ?? .max)
    for instance in instances.values {
      if let deadline = instance.nextDeadline { next = min(next, deadline) }
    }
    for activation in activations.values {
      if let deadline = activation.leaseDeadline { next = min(next, deadline) }
    }
    return next == .max ? nil : next
  }

  /// Decisions, bundles and what the launcher keeps are known.
  var isReady: Bool { knowsBundles && launcher.isSettled }
  var knowsBundles: Bool { decisionsAreLoaded && policyIsLoaded && isScanned }

  private mutating func dispatch(_ event: Event) {
    switch event {
    case .peerOpened(let peer, let facts): sessions[peer] = Session(peer: facts)
    case .peerClosed(let peer): closePeer(peer)
    case .hostCall(let request, let call, let more):
      if isReady { handle(call, request, more: more) } else { early.append(event) }
    case .adminCall(let request, let call, let more):
      if isReady || call.needsNothing { handle(call, request, more: more) } else { early.append(event) }
    case .peerBlocked(let peer): sessions[peer]?.isBlocked = true
    case .peerDrained(let peer): catchUp(peer)

    case .bundles(let found, let removed):
      // One that was withdrawn meanwhile is nobody's.
      let wanted = found.filter { !$0.isDeveloped || development(of: $0.path)?.isAccepted == true }
      applyBundles(found: wanted, removed: removed)
    case .developed(let path, let found): developed(path, found)
    case .scanned(let serial):
      isScanned = true
      // A scan that had begun before somebody asked may have missed what they mean.
      for (request, asked) in rescans where asked <= serial { reply(request, AdminInterface.Rescan.Reply()) }
      rescans.removeAll { $0.serial <= serial }
      announcements.hasSeenAll = false
      becomeReady()
    case .rootsUnread(let roots):
      unreadRoots = roots
      becomeReady()
    case .decisionsLoaded(let decisions):
      decisionsAreLoaded = true
      loadDecisions(decisions)
      becomeReady()
    case .policyLoaded(let policy):
      policyIsLoaded = true
      loadPolicy(policy)
      becomeReady()
    case .decisionStored(let request, let decision): applyDecision(decision, request)
    case .decisionFailed(let request, let message):
      if let request { fail(request, AdminInterface.StorageFailed(message: message)) }
    case .decisionsImported(let request, let decisions): decisionsImported(request, decisions)
    case .containerRemoved(let request, let identifier, let peer):
      containerRemoved(request, identifier, by: peer)
    case .forgotten(let request, let identifier, let decisions): forgotten(request, identifier, decisions)
    case .expired(let identifiers): expire(identifiers)
    case .history(let request, let decisions): replyHistory(request, decisions)
    case .bundleChecked(let instance, let check): bundleChecked(instance, check)
    case .announcementsLoaded(let contents, let open): announcementsLoaded(contents, open: open)
    case .announcementFailed(let contents): announcementFailed(contents)

    case .facts(let facts): self.facts = facts
    case .time: checkDeadlines()
    default: dispatchRunning(event)
    }
  }

  /// What launcher and extensions say.
  private mutating func dispatchRunning(_ event: Event) {
    switch event {
    case .launcherConnected(let facts): launcherConnected(facts)
    case .restoredInstance(let id, let processID, let executed, let note):
      restoreInstance(id, processID: processID, executed: executed, note: note)
    case .restoredActivation(let id, let instance, let note, let endedByHost):
      restoreActivation(id, instance: instance, note: note, endedByHost: endedByHost)
    case .restored: launcherRestored()
    case .launcherGone: launcherGone()
    case .launcherRefused(let message): launcherRefused(message)
    case .launched(let instance, let processID): launched(instance, processID: processID)
    case .launchFailed(let instance, let stage, let errno, let detail):
      launchFailed(instance, stage: stage, errno: errno, detail: detail)
    case .executed(let instance): instances[instance]?.executed = true
    case .stopped(let instance, let processID): stopped(instance, processID: processID)
    case .ended(let instance, let note, let end): instanceEnded(instance, note: note, end)
    case .leaseKept(let activation): leaseKept(activation)
    case .leaseFailed(let activation, let message): leaseFailed(activation, message: message)
    case .leaseEnded(let activation, let hostLives): leaseEnded(activation, hostLives: hostLives)
    case .inspected(let request, let sandbox):
      reply(request, AdminInterface.Inspect.Reply(sandboxes: sandbox.map { [$0] } ?? []))
    case .containerMeasured(let instance, let facts): containerMeasured(instance, facts)
    case .output(let instance, let identifier, let lines, let dropped):
      keepLog(identifier, lines, dropped: dropped)
      tellDeveloper(instance) { .init(event: .output, instance: instance, lines: leftOut(dropped) + lines) }
    case .measured(let request, let usages):
      reply(request, AdminInterface.MeasureInstances.Reply(usages: usages))
    case .memoryPressure(let instance, let used, let limit):
      memoryPressure(instance, used: used, limit: limit)
    case .answered(let instance, let call, let scenes, let hearsMemoryPressure):
      answered(instance, call: call, scenes: scenes, hearsMemoryPressure: hearsMemoryPressure)
    case .rejected(let instance, let call, let message): rejected(instance, call: call, message: message)
    case .sceneUnknown(let instance, let call, let scene):
      acceptFailed(
        instance, call: call,
        BrokerInterface.SceneNotFound(scene: scene, scenes: instances[instance]?.scenes ?? []))
    case .displayFailed(let instance): displayFailed(instance)
    case .misbehaved(let instance, let message): misbehaved(instance, message: message)
    default: break
    }
  }

  mutating func becomeReady() {
    considerAnnouncing()
    guard isReady else { return }
    stopWhatMayNotRun()
    // Only where everything was read is it known what is gone.
    if !hasNotedPresent, unreadRoots.isEmpty {
      hasNotedPresent = true
      effects.append(.notePresent(presentIdentifiers))
    }
    let waiting = early
    early = []
    for event in waiting { dispatch(event) }
  }

  private mutating func closePeer(_ peer: PeerID) {
    unsubscribe(peer)
    let development = sessions.removeValue(forKey: peer)?.development
    watchers.removeAll { $0 == peer }
    developers.removeAll { $0 == peer }
    quotas = quotas.filter { $0.value.isUsed(at: now) }
    early.removeAll { $0.request?.peer == peer }
    rescans.removeAll { $0.request.peer == peer }
    stops.removeAll { $0.request.peer == peer }
    abandonRequests(of: peer)
    if let development { withdraw(development) }
  }

  /// The host's process of an activation, for whoever can look whether it lives.
  public func hostProcess(of activation: String) -> ProcessIdentity? { activations[activation]?.host.process }

  // MARK: For the other parts

  /// A number that this run of the broker has not used.
  mutating func unique() -> Int {
    nextNumber += 1
    return nextNumber
  }

  /// Names a call to an extension, so that a late answer is known for what it is.
  mutating func newCall() -> String { "\(generation).\(unique())" }

  mutating func reply(
    _ request: RequestID, _ value: any VarlinkStructure, descriptors: [DescriptorSource] = [],
    continues: Bool = false
  ) {
    effects.append(.reply(request, value, descriptors: descriptors, continues: continues))
  }

  mutating func fail(_ request: RequestID, _ error: any VarlinkErrorReply) {
    effects.append(.fail(request, error))
  }
}

extension Event {
  var request: RequestID? {
    switch self {
    case .hostCall(let request, _, _), .adminCall(let request, _, _): request
    default: nil
    }
  }
}

extension AdminInterface.Call {
  /// Can be answered before anything is known.
  var needsNothing: Bool {
    switch self {
    case .status, .watch: true
    default: false
    }
  }
}
