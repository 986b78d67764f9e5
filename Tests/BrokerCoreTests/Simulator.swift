import ExtensionInterfaces
import Testing

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
final class Simulator {
  struct Process { var note: String, executed: Bool, end: InstanceEnd? }
  struct Lease { var instance: String, note: String, isHeld = false, endedByHost = false }
  struct Waiting { var since: Int64, isBounded: Bool }
  struct Client { var door: Peer.Door, process: Int32, isStreaming = false, isBlocked = false }

  var random: SplitMix64
  var broker: Broker
  var now = Moment(monotonic: 1, wall: 1_000)
  var history: [String] = []
  var faults: [String] = []

  var clients: [PeerID: Client] = [:]
  var waiting: [RequestID: Waiting] = [:]
  /// How often what was reached, so that a simulation that reaches nothing is noticed.
  var reached: [String: Int] = [:]
  var finished: Set<RequestID> = []
  var owners: [String: Int32] = [:]
  var told: [PeerID: Set<String>] = [:]
  var forgotten: Set<String> = []
  var checks: Set<String> = []
  /// Storage, checks and extensions: in any order.
  var loose: [Event] = []
  /// The launcher: in order.
  var queue: [Event] = []
  var processes: [String: Process] = [:]
  var leases: [String: Lease] = [:]
  var isLauncherThere = false
  var stored: [String: Decision] = [:]
  var disk: [String: BundleFacts] = [:]
  var number: UInt64 = 0
  var run = 0
  /// Killed, and not gone yet.
  var late: [String] = []

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    broker = Broker(generation: "g0")
    let policies: [PointFacts.InstancePolicy] = [.perHost, .shared, .perScene]
    for facts in [
      TestWorld.points(policy: policies[Int(seed % 3)]),
      TestWorld.greeter(),
      TestWorld.greeter(path: "/roots/Other.appex", digest: "sha256:2", rootIndex: 1),
    ] { disk[facts.path] = facts }
    stored[TestWorld.extensionName] = Decision(
      identifier: TestWorld.extensionName, verdict: .enabled, digest: "sha256:1", entitlements: [],
      rootOwned: false, time: 0, peer: "")
    boot()
  }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  func fault(_ text: String) { faults.append(text) }

  /// A new broker, which knows what is on the disk and what the launcher keeps.
  func boot() {
    run += 1
    broker = Broker(generation: "g\(run)")
    (loose, queue, clients, waiting, told, forgotten, checks) = ([], [], [:], [:], [:], [], [])
    send(.decisionsLoaded(Array(stored.values)))
    send(.bundles(found: Array(disk.values), removed: []))
    send(.scanned)
    for (id, lease) in leases where !lease.isHeld { leases[id]?.endedByHost = true }
    connectLauncher()
  }

  func connectLauncher() {
    isLauncherThere = true
    send(.launcherConnected(LauncherFacts(processID: 7, controlGroups: true, unsettledStarts: 0)))
    for (id, process) in processes.sorted(by: { $0.key < $1.key }) {
      if let end = process.end {
        send(.ended(instance: id, note: process.note, end))
      } else {
        send(.restoredInstance(id: id, processID: 9, executed: process.executed, note: process.note))
      }
    }
    for (id, lease) in leases.sorted(by: { $0.key < $1.key }) {
      send(
        .restoredActivation(
          id: id, instance: lease.instance, note: lease.note, endedByHost: lease.endedByHost))
    }
    send(.restored)
  }

  func killLauncher() {
    (queue, processes, leases, isLauncherThere) = ([], [:], [:], false)
    send(.launcherGone)
  }

  func end(_ id: String, _ end: InstanceEnd) {
    guard let process = processes[id], process.end == nil else { return }
    processes[id]?.end = end
    queue.append(.ended(instance: id, note: process.note, end))
  }

  func endLease(_ id: String) {
    guard let lease = leases[id], lease.isHeld, !lease.endedByHost else { return }
    leases[id]?.endedByHost = true
    queue.append(.leaseEnded(activation: id, hostLives: chance(50)))
  }

  func send(_ event: Event) {
    history.append("\(now.monotonic) \(event)")
    if history.count > 200 { history.removeFirst(160) }
    let effects = broker.handle(event, at: now)
    for effect in effects { perform(effect) }
    checkEnds(effects)
    for instance in broker.instances.values {
      for id in instance.activations where broker.activations[id]?.instance != instance.id {
        fault("\(instance.id) has \(id), which is not its own")
      }
    }
  }

  /// A host that listens hears of each end in the same breath.
  private func checkEnds(_ effects: [Effect]) {
    for case .endLease(let id) in effects {
      guard let process = owners.removeValue(forKey: id) else { continue }
      for (peer, client) in clients
      where client.process == process && client.isStreaming && !client.isBlocked {
        if told[peer]?.contains(id) != true { fault("\(id) ended and \(peer) does not know") }
      }
    }
  }

  /// Time passes, and no bounded request may wait longer than all deadlines together.
  func pass(_ milliseconds: Int64) {
    now.monotonic += milliseconds
    now.wall += milliseconds
    send(.time)
    let limits = broker.limits
    let bound =
      limits.startDeadline + limits.answerDeadline + limits.stopDeadline + 3 * limits.terminateDeadline
    for (request, state) in waiting where state.isBounded && now.monotonic - state.since > bound + 6 * 3_000 {
      fault("\(request) waits since \(state.since)")
      waiting[request] = nil
    }
  }
}
