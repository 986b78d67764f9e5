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

  func launch(_ order: LaunchOrder) {
    guard let directory = checkedBundles.removeValue(forKey: order.instance) else {
      return handle(.launchFailed(instance: order.instance, stage: "bundle", errno: nil))
    }
    let container = places.containers + "/" + order.extensionIdentifier
    do throws(Errno) { try File.makeDirectories(container) } catch {
      return handle(.launchFailed(instance: order.instance, stage: "container", errno: Int(error.rawValue)))
    }
    let number = beginPreparing(order.instance)
    containers.whenKnown(order.extensionIdentifier) { [unowned self] facts in
      guard self.isPreparing(order.instance, number) else { return }
      if let facts, facts.excess(over: self.limits) != nil {
        self.donePreparing(order.instance)
        return self.handle(.containerMeasured(instance: order.instance, facts))
      }
      self.grant(order, number, container, directory)
    }
  }

  private func grant(
    _ order: LaunchOrder, _ number: UInt64, _ container: String, _ directory: SharedDescriptor
  ) {
    do throws(SandboxGrants.Refusal) {
      // Without a sandbox it has what one that asked for none has.
      let lines = order.entitlements + (order.withoutSandbox ? [Entitlement.simple(.none).line] : [])
      let grants = try SandboxGrants(lines, places: places)
      guard grants.includesHome else { return launch(order, container, directory, grants, home: nil) }
      lookAtHome(for: order, number, container, directory, grants)
    } catch {
      refuse(order.instance, error)
    }
  }

  private func refuse(_ instance: String, _ refusal: SandboxGrants.Refusal) {
    donePreparing(instance)
    handle(.launchFailed(instance: instance, stage: refusal.stage, errno: nil, detail: refusal.detail))
  }

  /// A home may lie on a network.
  private func lookAtHome(
    for order: LaunchOrder, _ number: UInt64, _ container: String, _ directory: SharedDescriptor,
    _ grants: SandboxGrants
  ) {
    let (home, own) = (places.home, places.own)
    homeWorker.perform {
      Result { () throws(SandboxGrants.Refusal) in
        try HomeMounts(home: home, own: own, moved: Places.moved)
      }
    } completion: { [unowned self] result in
      guard self.isPreparing(order.instance, number) else { return }
      switch result {
      case .success(let mounts): self.launch(order, container, directory, grants, home: mounts)
      case .failure(let refusal): self.refuse(order.instance, refusal)
      }
    }
  }

  private func launch(
    _ order: LaunchOrder, _ container: String, _ directory: SharedDescriptor, _ grants: SandboxGrants,
    home: HomeMounts?
  ) {
    donePreparing(order.instance)
    let profile = SandboxProfile(
      container: container, order: order, stdioProgram: places.stdioProgram, limits: limits, grants: grants,
      home: home)
    link?.call(descriptors: [directory]) { request in
      LauncherInterface.Launch(
        request: request, instance: order.instance, extension: order.extensionIdentifier,
        extensionPoint: order.extensionPoint, program: profile.command.program,
        arguments: profile.command.arguments, environment: profile.environment,
        directory: SandboxProfile.home,
        sandboxed: grants.isSandboxed, mounts: profile.mounts,
        nestedSandbox: grants.allowsNestedSandbox ? true : nil, network: grants.network,
        sessionBus: grants.destinations.isEmpty ? nil : grants.destinations, resources: .init(order.bounds),
        stopped: order.waits ? true : nil, note: order.note)
    } answered: { [unowned self] answer in
      self.launchAnswered(order.instance, answer)
    }
  }

  private func launchAnswered(_ instance: String, _ answer: LauncherLink.Answer?) {
    // nil: the launcher is gone, and the broker hears of that by itself.
    guard let (reply, descriptors) = answer else { return }
    if let failure = try? LauncherInterface.Failure(reply), case .launchFailed(let failed) = failure {
      return handle(
        .launchFailed(
          instance: instance, stage: failed.stage, errno: failed.errno,
          detail: Self.remedy(stage: failed.stage, errno: Errno(rawValue: CInt(clamping: failed.errno)))))
    }
    guard reply.error == nil, descriptors.count == 2,
      let launched = try? LauncherInterface.Launch.Reply(object: reply.parameters, unknownMembers: .ignored)
    else { return handle(.launchFailed(instance: instance, stage: "launcher", errno: nil)) }
    openChannel(instance, descriptors[0], restored: false)
    handle(.launched(instance: instance, processID: Int32(clamping: launched.pid)))
  }

  /// What the person can do where the launcher lacks something.
  private static func remedy(stage: String, errno: Errno) -> String? {
    switch (stage, errno) {
    case ("sessionBusProxy", .noEntry):
      "session-bus needs xdg-dbus-proxy, which is not installed; install the package of that name"
    case ("sessionBus", .noEntry):
      "session-bus needs a session bus, and the launcher knows of none; DBUS_SESSION_BUS_ADDRESS names it"
    default: nil
    }
  }

  private func openChannel(_ instance: String, _ socket: SharedDescriptor, restored: Bool) {
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
    _ instance: String, _ call: String, _ connection: ConnectionID, _ activation: String, _ scene: String?
  ) {
    guard let channel = channels[instance], let (host, its) = sparePair ?? (try? Socket.pair()) else {
      return handle(.rejected(instance: instance, call: call, message: "no descriptors are left"))
    }
    sparePair = nil
    connections[connection] = host
    channel.send(
      ExtensionInterface.AcceptConnection(
        call: call, connectionFileDescriptor: 0, activation: activation, scene: scene, context: JSONObject()
      ).call(), descriptors: [its])
    // The next one is made while the extension answers, when nobody waits for the broker.
    loop.schedule(after: .zero) { [unowned self] in
      guard self.sparePair == nil else { return }
      self.sparePair = try? Socket.pair()
    }
  }

  func take(_ incoming: LauncherLink.Incoming) {
    switch incoming {
    case .connected(let facts): handle(.launcherConnected(facts))
    case .restored: handle(.restored)
    case .gone:
      channels = [:]
      containers.forgetAll()
      forgetPreparing()
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

extension LauncherInterface.ResourceLimits {
  fileprivate init(_ bounds: ResourceBounds) {
    self.init(
      openFiles: bounds.openFiles, fileSize: bounds.fileSize, memory: bounds.memory,
      processes: bounds.processes, cpuWeight: bounds.cpuWeight)
  }
}
