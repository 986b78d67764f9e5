internal import BrokerCore
internal import ExtensionInterfaces
internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

// The effects that need somebody else: the store, the worker, the launcher, an extension.

extension Daemon {
  // MARK: Store

  func storeDecision(_ decision: Decision, _ request: RequestID?) {
    let store = store
    storeWorker.perform {
      Result { try store.add(decision) }
    } completion: { [unowned self] result in
      switch result {
      case .success: self.handle(.decisionStored(request, decision))
      case .failure(let error): self.handle(.decisionFailed(request, message: "\(error)"))
      }
    }
  }

  func readHistory(_ identifier: String?, _ request: RequestID) {
    let store = store
    storeWorker.perform {
      Result { try store.history(of: identifier) }
    } completion: { [unowned self] result in
      switch result {
      case .success(let decisions): self.handle(.history(request, decisions))
      case .failure(let error): self.handle(.decisionFailed(request, message: "\(error)"))
      }
    }
  }

  // MARK: Bundles

  func check(_ instance: String, _ path: String, _ digest: String) {
    bundles?.check(path, digest: digest) { [unowned self] check, directory in
      self.checkedBundles[instance] = directory
      self.handle(.bundleChecked(instance: instance, check))
    }
  }

  // MARK: Launcher and extensions

  func openChannel(_ instance: String, _ socket: SharedDescriptor, restored: Bool) {
    channels[instance] = try? ControlChannel(socket, restored: restored, on: loop) {
      [unowned self] incoming in
      switch incoming {
      case .reply(let reply):
        if let event = ExtensionReply.event(reply, from: instance, generation: self.generation) {
          self.handle(event)
        }
      case .malformed(let message): self.handle(.misbehaved(instance: instance, message: message))
      case .closed: break
      }
    }
  }

  // MARK: Sandboxes

  func inspect(_ instance: String, _ request: RequestID) {
    guard let link else { return handle(.inspected(request, nil)) }
    link.call {
      LauncherInterface.Inspect(request: $0, instance: instance)
    } answered: { [unowned self] answer in
      guard let (reply, descriptors) = answer, reply.error == nil, let directory = descriptors.first,
        let found = try? LauncherInterface.Inspect.Reply(object: reply.parameters, unknownMembers: .ignored),
        let processID = found.pid
      else { return self.handle(.inspected(request, nil)) }
      self.sandboxWorker.perform {
        SandboxReader.read(
          directory, instance: instance, processID: processID, landlock: found.landlock)
      } completion: { [unowned self] in
        self.handle(.inspected(request, $0))
      }
    }
  }

  func measure(_ instances: [UsageReader.Subject], _ request: RequestID) {
    sandboxWorker.perform {
      UsageReader.read(instances)
    } completion: { [unowned self] in
      self.handle(.measured(request, $0))
    }
  }

  func keepLease(_ activation: String, _ instance: String, _ note: String) {
    guard let (host, launcher) = try? Socket.pair() else {
      return handle(.leaseFailed(activation: activation, message: "no descriptors are left"))
    }
    leases[activation] = host
    link?.call(descriptors: [launcher]) {
      LauncherInterface.Lease(request: $0, activation: activation, instance: instance, note: note)
    } answered: { [unowned self] answer in
      guard let (reply, _) = answer else { return }
      if reply.error == nil {
        self.handle(.leaseKept(activation: activation))
      } else {
        self.handle(.leaseFailed(activation: activation, message: "the launcher knows no such instance"))
      }
    }
  }

  func accept(
    _ instance: String, _ call: String, _ connection: ConnectionID, _ activation: String, _ scene: String?,
    display: Bool
  ) {
    let shown = display ? try? Socket.pair() : nil
    guard let channel = channels[instance], !display || shown != nil,
      let (host, its) = sparePair ?? (try? Socket.pair())
    else {
      if display { handle(.displayFailed(instance: instance)) }
      return handle(.rejected(instance: instance, call: call, message: "no descriptors are left"))
    }
    sparePair = nil
    connections[connection] = host
    if let shown { displays[instance] = shown.0 }
    channel.send(
      ExtensionInterface.AcceptConnection(
        call: call, connectionFileDescriptor: 0, activation: activation, scene: scene,
        displayFileDescriptor: shown == nil ? nil : 1, context: JSONObject()
      ).call(), descriptors: shown.map { [its, $0.1] } ?? [its])
    // The next one is made while the extension answers, when nobody waits for the broker.
    sparePair = try? Socket.pair()
  }

  func take(_ incoming: LauncherLink.Incoming) {
    switch incoming {
    case .connected(let facts): handle(.launcherConnected(facts))
    case .restored: handle(.restored)
    case .gone:
      channels = [:]
      containers.forgetAll()
      preparing = [:]
      handle(.launcherGone)
    case .refused(let cause): handle(.launcherRefused(message: cause))
    case .unusable(let cause):
      // A broker that starts anew takes back what the launcher keeps, and nothing is lost.
      journal.write(LogEntry(level: .error, message: "\(cause); the broker begins anew"))
      CurrentProcess.exit(75)
    case .event(let event, let descriptors): take(event, descriptors)
    }
  }

  func take(_ event: LauncherEventsInterface.Call, _ descriptors: [SharedDescriptor]) {
    switch event {
    case .instanceRow(let row):
      if let control = descriptors.first { openChannel(row.instance, control, restored: true) }
      handle(
        .restoredInstance(
          id: row.instance, processID: Int32(clamping: row.pid), executed: row.executed, note: row.note))
    case .leaseRow(let row):
      handle(
        .restoredActivation(
          id: row.activation, instance: row.instance, note: row.note, endedByHost: row.ended == .host))
    case .executed(let executed): handle(.executed(instance: executed.instance))
    case .stopped(let stopped):
      handle(.stopped(instance: stopped.instance, processID: Int32(clamping: stopped.pid)))
    case .memoryPressure(let pressure):
      handle(
        .memoryPressure(instance: pressure.instance, used: pressure.used, limit: pressure.limit))
    case .ended(let ended):
      channels.removeValue(forKey: ended.instance)?.close()
      containers.forget(ended.instance)
      handle(
        .ended(
          instance: ended.instance, note: ended.note,
          InstanceEnd(
            executed: ended.executed, exitStatus: ended.exitStatus, signal: ended.signal,
            failedStage: ended.failedStage, errno: ended.errno, sandboxStatus: ended.sandboxStatus,
            outOfMemoryKills: ended.outOfMemoryKills, memoryPeak: ended.memoryPeak,
            memoryLimit: ended.memoryLimit, standardError: ended.standardError)))
    case .leaseEnded(let ended):
      let lives = broker.hostProcess(of: ended.activation).map(PeerInspector.lives) ?? true
      handle(.leaseEnded(activation: ended.activation, hostLives: lives))
    case .output(let output):
      handle(
        .output(
          instance: output.instance, extension: output.extension, lines: output.lines, dropped: output.dropped
        ))
    }
  }
}
