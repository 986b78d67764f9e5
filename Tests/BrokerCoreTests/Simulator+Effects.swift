import ExtensionInterfaces

@testable import BrokerCore

// What the broker wants, and how the others take it.

extension Simulator {
  func perform(_ effect: Effect) {
    switch effect {
    case .reply(let request, let value, let descriptors, let continues):
      for descriptor in descriptors { handOver(descriptor) }
      receive(request, value, continues: continues)
    case .tell(let requests, let value):
      for request in requests { receive(request, value, continues: true) }
    case .fail(let request, let error): receive(request, error)
    case .storeDecision(let request, let decision): storing.append((request, decision))
    case .readHistory(let request, _): loose.append(.history(request, []))
    case .checkBundle(let id, let path, _):
      let answer: BundleCheck = chance(85) ? .current : chance(50) ? .changed : .busy(path: path)
      loose.append(.bundleChecked(instance: id, answer))
    case .releaseBundle(let id): directories.remove(id)
    // What is there when it is read, which is later.
    case .scan(let path): loose.append(.bundles(found: [], removed: [path]))
    case .develop(let path): loose.append(.developed(path: path, []))
    case .withdraw: (isDeveloping, disk[Disk.tool]) = (false, nil)
    case .scanAll(let serial): loose.append(.scanned(serial))
    case .log(let entry): read(entry)
    case .dropLease(let activation): leaseEnds.remove(activation)
    case .dropConnection(let connection):
      if connectionEnds.remove(connection) == nil { fault("\(connection) is dropped, and there is none") }
    case .dropDisplay(let instance):
      if displayEnds.remove(instance) == nil { fault("\(instance) has no display that can be dropped") }
    case .start, .accept, .stop: performInExtension(effect)
    default: performInLauncher(effect)
    }
  }

  private func handOver(_ descriptor: DescriptorSource) {
    let isThere =
      switch descriptor {
      case .lease(let activation): leaseEnds.remove(activation) != nil
      case .connection(let connection): connectionEnds.remove(connection) != nil
      case .display(let instance): displayEnds.remove(instance) != nil
      }
    if !isThere { fault("\(descriptor) is handed over, and there is none") }
  }

  private func performInLauncher(_ effect: Effect) {
    switch effect {
    case .launch(let order): launch(order)
    case .keepLease(let activation, let instance, let note):
      leaseEnds.insert(activation)
      if let process = processes[instance], process.end == nil {
        leases[activation] = Lease(instance: instance, note: note)
        if chance(97) { queue.append(.event(.leaseKept(activation: activation))) }
      } else if isLauncherThere {
        queue.append(.event(.leaseFailed(activation: activation, message: "no instance")))
      }
    case .endLease(let activation):
      checkForgetting(activation)
      leases[activation] = nil
    case .setNote(let subject, let note):
      live(subject, "setNote")
      processes[subject]?.note = note
    case .terminate(let id):
      live(id, "terminate")
      if chance(60) { end(id, InstanceEnd(executed: true, exitStatus: 0)) }
    case .kill(let id):
      live(id, "kill")
      if chance(95) { end(id, InstanceEnd(executed: true, signal: 9)) } else { late.append(id) }
    case .forget(let id): forget(id)
    case .settled: if chance(80) { lostBrokers = 0 }
    default: break
    }
  }

  private func launch(_ order: LaunchOrder) {
    let id = order.instance
    checkLaunch(order)
    guard isLauncherThere else { return }
    if chance(10) {
      queue.append(.event(.launchFailed(instance: id, stage: "clone", errno: 11)))
    } else {
      processes[id] = Process(note: order.note)
      queue.append(.event(.launched(instance: id, processID: 9)))
      if chance(90) {
        queue.append(.event(.executed(instance: id)))
        if order.waits { queue.append(.event(.stopped(instance: id, processID: 10))) }
      } else if chance(50) {
        end(id, InstanceEnd(executed: false, failedStage: "sandbox", errno: 1))
      }
    }
  }

  private func forget(_ id: String) {
    guard isLauncherThere else { return }
    if !forgotten.insert(id).inserted { fault("\(id) is forgotten twice") }
    for (activation, life) in lives where life.instance == id { checkForgetting(activation, life) }
    if let process = processes.removeValue(forKey: id), process.end == nil {
      fault("\(id) is forgotten while it lives")
    }
  }

  private func performInExtension(_ effect: Effect) {
    switch effect {
    case .start(let id, let call, _, _):
      live(id, "start")
      processes[id]?.executed = true
      if chance(10) {
        loose.append(.rejected(instance: id, call: call, message: "no"))
      } else if chance(90) {
        loose.append(.answered(instance: id, call: call, scenes: chance(50) ? ["a"] : nil))
      }
    case .accept(let id, let call, let connection, _, let scene, let display):
      live(id, "accept")
      connectionEnds.insert(connection)
      if display { giveDisplay(id) }
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

  /// Once to each instance, in all lives of the broker.
  private func giveDisplay(_ id: String) {
    if !shown.insert(id).inserted { fault("\(id) gets a second display") }
    reach("display")
    displayEnds.insert(id)
  }

  private func live(_ id: String, _ what: String) {
    if forgotten.contains(id) { fault("\(what) for \(id), which is forgotten") }
  }
}
