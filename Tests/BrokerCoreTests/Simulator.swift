import ExtensionInterfaces

@testable import BrokerCore

struct SplitMix64: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// A broker among hosts, people, extensions, a storage and a launcher that all do as they like, one seed a history.
///
/// It keeps books of its own about everything that it saw, and compares: see `Simulator+Promises.swift`.
final class Simulator {
  struct Process { var note: String, executed = false, end: InstanceEnd? = nil }
  struct Lease {
    enum End { case host, instance }
    var instance: String, note: String, isHeld = false, ended: End? = nil
  }

  /// What comes from the launcher, in order.
  enum Incoming {
    case event(Event)
    /// The launcher reads the request for its table.
    case table
  }

  var random: SplitMix64
  let seed: UInt64
  let limits: Limits
  let approval: Approval
  var broker: Broker
  var now = Moment(monotonic: 1, wall: 1_000)
  var steps = 0
  /// Counts events, to tell what was before what.
  var count = 0
  var history: [(time: Int64, event: Event)] = []
  var faults: [String] = []
  /// How often what was reached, so that a simulation that reaches nothing is noticed.
  var reached: [String: Int] = [:]

  // MARK: Peers
  var clients: [PeerID: Client] = [:]
  /// Their order of arrival, for draws that are the same each time.
  var order: [PeerID] = []
  /// Processes of hosts: a number that is used again is another process.
  var births: [Int32: Int64] = [:]
  var number: UInt64 = 0

  // MARK: The launcher, which outlives brokers
  var processes: [String: Process] = [:]
  var leases: [String: Lease] = [:]
  var queue: [Incoming] = []
  var isLauncherThere = false
  var tableIsIn = false
  var lostBrokers = 0
  /// Killed, and not gone yet.
  var late: [String] = []

  // MARK: The disk
  var disk: [String: BundleFacts] = [:]
  /// What is there for good, and what the broker was told of.
  var stored: [String: Decision] = [:]
  var applied: [String: Decision] = [:]
  /// The tool was read for its developer.
  var isDeveloping = false
  var policy = Policy()
  var storing: [(request: RequestID?, decision: Decision)] = []

  /// Checks, scans and extensions: in any order.
  var loose: [Event] = []
  /// The broker is killed in the middle of the next effects.
  var dies = false
  var isBooting = false
  var startsClean = false
  var run = 0

  // MARK: Books
  var lives: [String: Life] = [:]
  /// Activations whose calls a broker's death left without an answer. Their hosts may hear of the end.
  var unanswered: Set<String> = []
  var launched: [String: (path: String, digest: String)] = [:]
  var forgotten: Set<String> = []
  /// Instances of which this broker said that they ended.
  var reported: Set<String> = []
  var restsUntil: [String: Int64] = [:]
  var restBegins = false
  /// The hosts' ends and the directories that the broker's process holds.
  var leaseEnds: Set<String> = []
  var connectionEnds: Set<ConnectionID> = []
  var displayEnds: Set<String> = []
  /// Instances that have a display.
  var shown: Set<String> = []
  var directories: Set<String> = []

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(state: seed)
    var limits = Limits()
    if seed % 3 == 0 {
      limits.waitingEvents = 2
      limits.rememberedEnds = 5
      limits.activationsPerHost = 4
      limits.instances = 4
      limits.launchesInFlight = 3
      limits.connectsInFlightPerInstance = 2
      limits.logLinesPerExtension = 3
    }
    self.limits = limits
    approval = seed % 5 == 0 ? .everything : .person
    broker = Broker(generation: "g0", limits: limits, approval: approval)
    fillDisk()
    boot()
  }

  var isTight: Bool { seed % 3 == 0 }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }
  func fault(_ text: String) { faults.append(text) }
  func reach(_ what: String) { reached[what, default: 0] += 1 }

  // MARK: The broker's lives

  /// A new broker, which knows what is on the disk and what the launcher keeps.
  func boot() {
    run += 1
    (isBooting, dies) = (true, false)
    let running = broker.instances.values.filter { $0.phase == .running }.map(\.id)
    defer {
      isBooting = false
      checkLiveOn(running)
    }
    broker = Broker(generation: "g\(run)", limits: limits, approval: approval)
    let streams = order.compactMap { clients[$0] }.filter { $0.stream != nil && $0.door == .host }
    (isDeveloping, disk[Disk.tool]) = (false, nil)
    (loose, queue, clients, order, reported) = ([], [], [:], [], [])
    (leaseEnds, connectionEnds, displayEnds, directories) = ([], [], [], [])
    // Of what the storage was asked for, some is done already.
    for next in storing where chance(50) { store(next.decision) }
    storing = []
    for (id, lease) in leases where !lease.isHeld {
      unanswered.insert(id)
      if lease.ended == nil { leases[id]?.ended = .host }
    }
    for (id, life) in lives where leases[id] == nil || life.hostLetGo { lives[id]?.excuse() }
    (restsUntil, restBegins) = ([:], false)
    applied = stored
    // Storage, disk and launcher answer in any order.
    for source in [0, 1, 2, 3].shuffled(using: &random) {
      switch source {
      case 0: send(.decisionsLoaded(stored.values.sorted { $0.identifier < $1.identifier }))
      case 1:
        // Root by root.
        let bundles = disk.values.sorted { $0.path < $1.path }
        let part = bundles.prefix(Int.random(in: 0...bundles.count, using: &random))
        send(.bundles(found: Array(part), removed: []))
        send(.bundles(found: Array(bundles.dropFirst(part.count)), removed: []))
        send(.scanned(0))
      case 2: send(.policyLoaded(policy))
      default:
        if isLauncherThere { greetLauncher() } else { send(.launcherGone) }
        while chance(80), !queue.isEmpty { deliverQueue() }
      }
      if chance(50) { for client in streams where chance(70) { comeBack(client) } }
    }
  }

  func killBroker() {
    reach("broker killed")
    lostBrokers += 1
    boot()
  }

  /// The launcher's side of a connection begins; its table comes when it has read the request.
  func greetLauncher() {
    if !isLauncherThere { lostBrokers = 0 }
    (isLauncherThere, tableIsIn) = (true, false)
    let count = lostBrokers
    startsClean = count >= Broker.unsettledStartsToStartClean
    if startsClean {
      reach("startsClean")
      for id in lives.keys where leases[id] != nil { lives[id]?.excuse() }
    }
    queue.append(
      .event(
        .launcherConnected(LauncherFacts(processID: 7, controlGroups: true, unsettledStarts: count))))
    queue.append(.table)
  }

  func tellTable() {
    for (id, process) in processes.sorted(by: { $0.key < $1.key }) {
      if let end = process.end {
        queue.append(.event(.ended(instance: id, note: process.note, end)))
      } else {
        let row = Event.restoredInstance(
          id: id, processID: 9, executed: process.executed, note: process.note)
        queue.append(.event(row))
      }
    }
    for (id, lease) in leases.sorted(by: { $0.key < $1.key }) {
      queue.append(
        .event(
          .restoredActivation(
            id: id, instance: lease.instance, note: lease.note, endedByHost: lease.ended == .host)))
    }
    queue.append(.event(.restored))
  }

  func killLauncher() {
    reach("launcher killed")
    // What no broker has heard of from it is lost with it.
    for id in lives.keys where broker.activations[id] == nil && broker.endedActivations[id] == nil {
      lives[id]?.excuse()
    }
    (queue, processes, leases, late) = ([], [:], [:], [])
    (isLauncherThere, tableIsIn) = (false, false)
    lostBrokers = 0
    send(.launcherGone)
  }

  /// An instance's last process is gone. The launcher closes its leases, and keeps rows until it is told to forget.
  func end(_ id: String, _ end: InstanceEnd) {
    guard let process = processes[id], process.end == nil else { return }
    processes[id]?.end = end
    for (activation, lease) in leases where lease.instance == id && lease.ended == nil {
      leases[activation]?.ended = .instance
    }
    queue.append(.event(.ended(instance: id, note: process.note, end)))
  }

  func endLease(_ id: String, hostLives: Bool) {
    guard let lease = leases[id], lease.isHeld, lease.ended == nil else { return }
    leases[id]?.ended = .host
    lives[id]?.hostLetGo = true
    queue.append(.event(.leaseEnded(activation: id, hostLives: hostLives)))
  }

  func store(_ decision: Decision) {
    stored[decision.identifier] = decision.verdict == .reset ? nil : decision
  }

  // MARK: Events

  func send(_ event: Event) {
    history.append((now.monotonic, event))
    count += 1
    let effects = broker.handle(event, at: now)
    if dies, !isBooting, effects.count > 1 {
      let told = count
      for effect in effects.prefix(Int.random(in: 0..<effects.count, using: &random)) { perform(effect) }
      // Whoever heard of an end just now may hear of it again.
      for (id, life) in lives where life.toldAt == told { lives[id]?.mayRepeat = true }
      return killBroker()
    }
    for effect in effects { perform(effect) }
    checkBounds()
    switch event {
    case .bundles, .decisionStored, .policyLoaded, .peerDrained, .restored:
      checkPictures()
      checkAudiences()
    default: break
    }
  }

  /// Time passes as it does for the daemon: the broker is woken when it asked for it, and at no other time.
  func pass(_ milliseconds: Int64) {
    let end = now.monotonic + milliseconds
    var wakes = 0
    while let next = broker.nextDeadline, next < end, faults.isEmpty {
      let step = max(0, next + 1 - now.monotonic)
      now.monotonic += step
      now.wall += step
      send(.time)
      wakes += 1
      if wakes > 200 { return fault("it is woken for \(next) again and again") }
    }
    now.wall += max(0, end - now.monotonic)
    now.monotonic = max(now.monotonic, end)
    checkWaiting()
  }
}
