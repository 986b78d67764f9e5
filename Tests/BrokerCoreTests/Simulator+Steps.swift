import ExtensionInterfaces

@testable import BrokerCore

// What happens next.

extension Simulator {
  func step() {
    steps += 1
    switch Int.random(in: 0..<1_000, using: &random) {
    case 0..<50: open()
    case 50..<65: if let peer = pick(order) { close(peer) }
    case 65..<300: hostCall()
    case 300..<350: adminCall()
    case 350..<550: for _ in 0..<3 { deliverLoose() }
    case 550..<760: for _ in 0..<3 { deliverQueue() }
    case 760..<790: if let id = pick(heldLeases) { endLease(id, hostLives: chance(50)) }
    case 790..<820: if let peer = pick(order) { block(peer) }
    case 820..<855: disturb()
    case 855..<885: changeBundle()
    case 885..<965:
      while !queue.isEmpty { deliverQueue() }
      pass(pick([1, 100, 100, 600, 600, 3_000, 9_000]) ?? 1)
    case 965..<980: deliverStore()
    case 980: killBroker()
    case 981: if chance(30) { changePolicy() }
    case 982..<985: dies = true
    case 985..<988: die(pick(Self.programs)?.process ?? 500)
    case 988: killLauncher()
    default: if !isLauncherThere { greetLauncher() } else { deliverStore() }
    }
    if order.count > 14, let first = order.first { close(first) }
  }

  private var heldLeases: [String] {
    leases.filter { $0.value.isHeld && $0.value.ended == nil }.keys.sorted()
  }

  func deliverQueue() {
    guard !queue.isEmpty else { return }
    switch queue.removeFirst() {
    case .table: tellTable()
    case .event(.restored):
      tableIsIn = true
      let (run, kept) = (run, Set(processes.keys))
      send(.restored)
      if startsClean, run == self.run { checkClean(kept) }
    case .event(let event): send(event)
    }
  }

  private func checkClean(_ kept: Set<String>) {
    if !leases.isEmpty { fault("a clean start leaves \(leases)") }
    for id in kept {
      if let process = processes[id], process.end == nil, !late.contains(id) {
        fault("a clean start leaves \(id)")
      }
      if broker.instances[id] != nil { fault("a clean start takes \(id) back") }
    }
  }

  func deliverLoose() {
    guard let index = loose.indices.randomElement(using: &random) else { return }
    var event = loose[index]
    if case .developed = event {
      let facts = tool()
      // Its developer may be gone.
      if broker.development(of: Disk.tool) != nil { (isDeveloping, disk[Disk.tool]) = (true, facts) }
      event = .developed(path: Disk.tool, [facts])
    }
    if case .bundles(_, let paths) = event {
      event = .bundles(found: paths.compactMap { disk[$0] }, removed: paths.filter { disk[$0] == nil })
    }
    // Extensions say some things twice.
    if case .answered = event, chance(5) {} else { loose.remove(at: index) }
    if case .bundleChecked(let id, .current) = event { directories.insert(id) }
    send(event)
  }

  func deliverStore() {
    guard !storing.isEmpty else { return }
    let (request, decision) = storing.removeFirst()
    guard chance(90) else { return send(.decisionFailed(request, message: "full")) }
    store(decision)
    applied[decision.identifier] = decision.verdict == .reset ? nil : decision
    if decision.verdict == .reset {
      for facts in disk.values where facts.identifier == decision.identifier {
        if let digest = facts.digest { restsUntil[digest] = nil }
      }
    }
    send(.decisionStored(request, decision))
  }

  private func disturb() {
    guard let id = pick(processes.keys.sorted()) else { return }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: end(id, InstanceEnd(executed: true, exitStatus: 0))
    case 1, 2: end(id, InstanceEnd(executed: true, signal: 11))
    case 3: end(id, InstanceEnd(executed: true, signal: 9, outOfMemoryKills: 1))
    case 4: send(.output(instance: id, extension: pick(Disk.names) ?? "", lines: ["a", "b"], dropped: 1))
    case 5: send(.answered(instance: id, call: "g0.1", scenes: nil))
    case 6: end(id, InstanceEnd(executed: true, signal: 9))
    case 7: if !late.isEmpty { end(late.removeFirst(), InstanceEnd(executed: true, signal: 9)) }
    default: if processes[id]?.end == nil { send(.misbehaved(instance: id, message: "not Varlink")) }
    }
  }

  // MARK: The end

  private func deliverAll() {
    while !queue.isEmpty || !loose.isEmpty || !storing.isEmpty {
      while !queue.isEmpty { deliverQueue() }
      deliverLoose()
      deliverStore()
    }
  }

  /// Every host listens, everybody lets go, and time passes: nothing may be left, and nobody may not know.
  func close() {
    dies = false
    if !isLauncherThere { greetLauncher() }
    deliverAll()
    // What waits for a debugger would wait for ever.
    for peer in order where broker.sessions[peer]?.development != nil { close(peer) }
    for peer in order where clients[peer]?.isBlocked == true { block(peer) }
    for program in Self.programs where !program.sandboxed {
      comeBack(
        Client(
          door: .host,
          program: .init(
            process: program.process, birth: births[program.process, default: 1], name: program.name,
            executable: program.executable)))
    }
    for _ in 0..<40 where faults.isEmpty {
      for id in heldLeases { endLease(id, hostLives: true) }
      deliverAll()
      pass(3_000)
      for id in late { end(id, InstanceEnd(executed: true, signal: 9)) }
      late = []
    }
    guard faults.isEmpty else { return }
    checkNothingIsLeft()
  }

  private func checkNothingIsLeft() {
    for peer in order {
      if let call = clients[peer]?.call, clients[peer]?.stream == nil, clients[peer]?.door == .host {
        fault("\(call) was never answered")
      }
    }
    for (id, life) in lives where !life.isSettled && life.host.process.processID != 503 {
      fault("nobody heard of the end of \(id)")
    }
    if !broker.stops.isEmpty || !broker.rescans.isEmpty { fault("requests are left") }
    for peer in order { close(peer) }
    if !broker.instances.isEmpty { fault("instances are left: \(broker.instances)") }
    if !broker.activations.isEmpty { fault("activations are left: \(broker.activations)") }
    if !processes.isEmpty { fault("the launcher keeps \(processes.keys.sorted())") }
    if !leases.isEmpty { fault("the launcher keeps leases \(leases)") }
    if broker.nextDeadline != nil { fault("a deadline is left") }
    if !leaseEnds.isEmpty || !connectionEnds.isEmpty || !directories.isEmpty {
      fault("descriptors are left: \(leaseEnds) \(connectionEnds) \(directories)")
    }
  }
}
