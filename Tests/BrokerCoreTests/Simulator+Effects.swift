import ExtensionInterfaces

@testable import BrokerCore

// What the broker wants, and how the others take it.

extension Simulator {
  func perform(_ effect: Effect) {
    switch effect {
    case .reply(let request, let value, let descriptors, let continues):
      if let reply = value as? BrokerInterface.Activate.Reply {
        leases[reply.activation]?.isHeld = true
        owners[reply.activation] = clients[request.peer]?.process
        guard descriptors.first == .lease(activation: reply.activation) else {
          return fault("no lease in \(reply)")
        }
      }
      if let event = (value as? BrokerInterface.Subscribe.Reply)?.activation { hear(request.peer, event) }
      if continues {
        if finished.contains(request) { fault("\(request) goes on after its end") }
      } else {
        finish(request)
      }
    case .fail(let request, let error):
      if let failure = error as? BrokerInterface.ActivationFailed {
        reached["failed: \(failure.reason.kind.rawValue)", default: 0] += 1
      }
      finish(request)
    case .storeDecision(let request, let decision):
      if chance(15) {
        loose.append(.decisionFailed(request, message: "full"))
      } else {
        stored[decision.identifier] = decision.verdict == .reset ? nil : decision
        loose.append(.decisionStored(request, decision))
      }
    case .checkBundle(let id, let path, let digest):
      if broker.catalog.bundles[path]?.digest == digest, broker.catalog.entries[path]?.state == .enabled {
        checks.insert(id)
      } else {
        checks.remove(id)
      }
      let answer: BundleCheck = chance(85) ? .current : chance(50) ? .changed : .busy(path: path)
      loose.append(.bundleChecked(instance: id, answer))
    case .scanAll: loose.append(.scanned)
    default: performRunning(effect)
    }
  }

  private func performRunning(_ effect: Effect) {
    switch effect {
    case .launch(let order):
      if !checks.contains(order.instance) { fault("\(order.instance) launched, not enabled when checked") }
      guard isLauncherThere else { return fault("launch without a launcher") }
      if chance(10) {
        queue.append(.launchFailed(instance: order.instance, stage: "clone", errno: 11))
      } else {
        processes[order.instance] = Process(note: order.note, executed: false, end: nil)
        queue.append(.launched(instance: order.instance, processID: 9))
      }
    case .keepLease(let activation, let instance, let note):
      if processes[instance] != nil {
        leases[activation] = Lease(instance: instance, note: note)
        queue.append(.leaseKept(activation: activation))
      } else {
        queue.append(.leaseFailed(activation: activation, message: "no instance"))
      }
    case .endLease(let activation): leases[activation] = nil
    case .setNote(let subject, let note):
      live(subject, "setNote")
      processes[subject]?.note = note
    case .terminate(let id):
      live(id, "terminate")
      if chance(60) { end(id, InstanceEnd(executed: true, exitStatus: 0)) }
    case .kill(let id):
      live(id, "kill")
      if chance(95) { end(id, InstanceEnd(executed: true, signal: 9)) } else { late.append(id) }
    case .forget(let id):
      guard isLauncherThere else { return }
      if !forgotten.insert(id).inserted { fault("\(id) forgotten twice") }
      if let process = processes.removeValue(forKey: id), process.end == nil {
        fault("\(id) forgotten while it lives")
      }
    case .start(let id, let call, _, _):
      live(id, "start")
      processes[id]?.executed = true
      if chance(10) {
        loose.append(.rejected(instance: id, call: call, message: "no"))
      } else if chance(90) {
        loose.append(.answered(instance: id, call: call, scenes: chance(50) ? ["a"] : nil))
      }
    case .accept(let id, let call, _, _, let scene):
      live(id, "accept")
      if chance(10) {
        loose.append(.rejected(instance: id, call: call, message: "no"))
      } else if chance(10) {
        loose.append(.sceneUnknown(instance: id, call: call, scene: scene ?? ""))
      } else if chance(90) {
        loose.append(.answered(instance: id, call: call, scenes: nil))
      }
    case .stop(let id, let call):
      live(id, "stop")
      loose.append(.answered(instance: id, call: call, scenes: nil))
      if chance(60) { end(id, InstanceEnd(executed: true, exitStatus: 0)) }
    default: break
    }
  }

  private func live(_ id: String, _ what: String) {
    if forgotten.contains(id) { fault("\(what) for \(id), which is forgotten") }
  }

  private func finish(_ request: RequestID) {
    if !finished.insert(request).inserted { fault("two answers to \(request)") }
    waiting[request] = nil
  }

  private func hear(_ peer: PeerID, _ event: BrokerInterface.ActivationEvent) {
    if told[peer]?.contains(event.activation) == true { fault("\(event) to \(peer) after the end") }
    reached[event.reason?.kind.rawValue ?? event.state.rawValue, default: 0] += 1
    if event.state == .deactivated { told[peer, default: []].insert(event.activation) }
  }
}
