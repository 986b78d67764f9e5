import ExtensionInterfaces
import LinuxSystem
import Testing

@testable import BrokerCore

@Test func `whatever happens in whatever order, the broker keeps its promises`() {
  let steps = CurrentProcess.environment("EXTENSIOND_SIMULATION_STEPS").flatMap { Int($0) } ?? 200_000
  let perSeed = 1_000
  var reached: [String: Int] = [:]
  for seed in 1...UInt64(max(1, steps / perSeed)) {
    let simulator = Simulator(seed: seed)
    for _ in 0..<perSeed where simulator.faults.isEmpty { simulator.step() }
    if simulator.faults.isEmpty { simulator.close() }
    guard simulator.faults.isEmpty else {
      let story = simulator.history.suffix(40).joined(separator: "\n")
      Issue.record("seed \(seed): \(simulator.faults.joined(separator: "; "))\n\(story)")
      return
    }
    reached.merge(simulator.reached, uniquingKeysWith: +)
  }
  guard steps >= 100_000 else { return }
  for what in [
    "activated", "hostEnded", "hostGone", "crashed", "killed", "outOfMemory", "disabled", "removed",
    "stopping", "launcherGone", "failed: startTimedOut", "failed: quarantined", "failed: changed",
    "failed: startFailed",
  ] { #expect(reached[what, default: 0] > 0, "\(what) never happened: \(reached)") }
}

extension Simulator {
  func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<6: open()
    case 6..<8: close(clients.keys.sorted().randomElement(using: &random))
    case 8..<30: hostCall()
    case 30..<36: adminCall()
    case 36..<56: deliverLoose()
    case 56..<76: deliverQueue()
    case 76..<81: if let id = leases.keys.sorted().randomElement(using: &random) { endLease(id) }
    case 81..<84: block()
    case 84..<87: crash()
    case 87..<90: changeBundle()
    case 90..<98:
      while !queue.isEmpty { deliverQueue() }
      pass([1, 100, 600, 3_000].randomElement(using: &random) ?? 1)
    case 98: if chance(20) { boot() }
    default:
      if !isLauncherThere { connectLauncher() } else if chance(20) { killLauncher() }
    }
    if clients.count > 12 { close(clients.keys.min()) }
  }

  private func deliverQueue() { if !queue.isEmpty { send(queue.removeFirst()) } }

  private func deliverLoose() {
    guard let index = loose.indices.randomElement(using: &random) else { return }
    let event = loose[index]
    // Extensions say some things twice.
    if case .answered = event, chance(5) {} else { loose.remove(at: index) }
    send(event)
  }

  private func crash() {
    guard let id = processes.keys.sorted().randomElement(using: &random) else { return }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: end(id, InstanceEnd(executed: true, exitStatus: 0))
    case 1: end(id, InstanceEnd(executed: true, signal: 11))
    case 2: end(id, InstanceEnd(executed: true, signal: 9, outOfMemoryKills: 1))
    case 3: send(.executed(instance: id))
    case 4: send(.answered(instance: id, call: "g0.1", scenes: nil))
    case 5: end(id, InstanceEnd(executed: true, signal: 9))
    default: if processes[id]?.end == nil { send(.misbehaved(instance: id, message: "not Varlink")) }
    }
  }

  private func block() {
    guard let peer = clients.keys.sorted().randomElement(using: &random) else { return }
    let isBlocked = !(clients[peer]?.isBlocked ?? false)
    clients[peer]?.isBlocked = isBlocked
    send(isBlocked ? .peerBlocked(peer) : .peerDrained(peer))
  }

  private func changeBundle() {
    let path = chance(50) ? TestWorld.path : "/roots/Other.appex"
    if chance(30) {
      disk[path] = nil
      send(.bundles(found: [], removed: [path]))
    } else {
      let digest = chance(70) ? "sha256:1" : "sha256:2"
      let facts = TestWorld.greeter(path: path, digest: digest, rootIndex: path == TestWorld.path ? 0 : 1)
      disk[path] = facts
      send(.bundles(found: [facts], removed: []))
    }
  }

  private func open() {
    number += 1
    let peer = PeerID(number)
    let client = Client(
      door: chance(75) ? .host : .admin, process: Int32.random(in: 500...502, using: &random))
    clients[peer] = client
    send(
      .peerOpened(
        peer, Peer(door: client.door, process: ProcessIdentity(processID: client.process, startTime: 1))))
    if client.door == .host { ask(peer, .hello(.init(hostIdentifier: "org.example.Editor"))) }
  }

  private func close(_ peer: PeerID?) {
    guard let peer else { return }
    clients[peer] = nil
    told[peer] = nil
    waiting = waiting.filter { $0.key.peer != peer }
    send(.peerClosed(peer))
  }

  private func ask(_ peer: PeerID, _ call: BrokerInterface.Call, isBounded: Bool = false, more: Bool = false)
  {
    number += 1
    let request = RequestID(peer: peer, serial: number)
    waiting[request] = Waiting(since: now.monotonic, isBounded: isBounded)
    send(.hostCall(request, call, more: more))
  }

  private func hostCall() {
    let hosts = clients.keys.filter { clients[$0]?.door == .host }.sorted()
    guard let peer = hosts.randomElement(using: &random) else { return }
    let name = TestWorld.extensionName
    let known = leases.keys.sorted().randomElement(using: &random) ?? "none"
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6:
      let scene = chance(30) ? (chance(80) ? "a" : "b") : nil
      ask(peer, .activate(.init(extension: name, scene: scene, connect: chance(50))), isBounded: true)
    case 6: ask(peer, .connect(.init(activation: known)), isBounded: true)
    case 7: ask(peer, .getActivation(.init(activation: known)))
    default:
      guard clients[peer]?.isStreaming == false else { return }
      ask(peer, .subscribe(.init(extensionPoints: [TestWorld.point])), more: true)
      clients[peer]?.isStreaming = true
    }
  }

  private func adminCall() {
    let people = clients.keys.filter { clients[$0]?.door == .admin }.sorted()
    guard let peer = people.randomElement(using: &random) else { return }
    let name = TestWorld.extensionName
    let calls: [AdminInterface.Call] = [
      .approve(.init(extension: name, digest: "sha256:1", entitlements: [])),
      .approve(.init(extension: name, digest: "sha256:1", entitlements: [])),
      .reset(.init(extension: name)), .disable(.init(extension: name)), .stop(.init(target: name)),
      .explain(.init(extension: name)), .list(.init()), .listActivations(.init()), .status(.init()),
      .rescan(.init(wait: true)),
    ]
    number += 1
    let request = RequestID(peer: peer, serial: number)
    waiting[request] = Waiting(since: now.monotonic, isBounded: false)
    let call = calls[Int.random(in: calls.indices, using: &random)]
    send(.adminCall(request, call, more: false))
  }

  /// Everybody goes, and time passes: nothing may be left.
  func close() {
    if !isLauncherThere { connectLauncher() }
    for _ in 0..<60 {
      for id in leases.keys.sorted() { endLease(id) }
      while !queue.isEmpty || !loose.isEmpty {
        while !queue.isEmpty { deliverQueue() }
        deliverLoose()
      }
      pass(3_000)
      for id in late { end(id, InstanceEnd(executed: true, signal: 9)) }
      late = []
    }
    for request in waiting.keys where clients[request.peer]?.isStreaming != true {
      fault("\(request) was never answered")
    }
    for peer in clients.keys.sorted() { close(peer) }
    if !broker.instances.isEmpty { fault("instances are left: \(broker.instances)") }
    if !broker.activations.isEmpty { fault("activations are left: \(broker.activations)") }
    if !broker.stops.isEmpty || !broker.rescans.isEmpty { fault("requests are left") }
    if !processes.isEmpty { fault("the launcher keeps \(processes.keys.sorted())") }
    if !leases.isEmpty { fault("the launcher keeps leases \(leases)") }
    if broker.nextDeadline != nil { fault("a deadline is left") }
  }
}
