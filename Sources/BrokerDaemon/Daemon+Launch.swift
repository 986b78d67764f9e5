internal import BrokerCore
internal import ExtensionInterfaces
internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

// A launch: what it needs of file systems is looked at and made by workers, then the launcher is asked.

extension Daemon {
  /// One that waits for workers. Its instance may be asked for again, since the launcher ended meanwhile; then it waits
  /// anew, and what was begun before is for nobody.
  struct Preparing {
    let number: UInt64
    /// To launch from. Here, so that none is kept for an instance that ended, however long a file system hangs.
    let bundle: SharedDescriptor
  }

  func launch(_ order: LaunchOrder) {
    guard let bundle = checkedBundles.removeValue(forKey: order.instance) else {
      return handle(.launchFailed(instance: order.instance, stage: "bundle", errno: nil))
    }
    // It may have come back meanwhile, and must not begin in what is going.
    guard removing[order.extensionIdentifier] == nil else {
      return refuse(
        order.instance,
        .init(
          stage: "container",
          detail: "what \(order.extensionIdentifier) had stored is still being removed; try again"))
    }
    // Work would be done on the loop's own thread where there is no other.
    do throws(Errno) {
      try homeWorker.start()
      try sandboxWorker.start()
    } catch {
      return refuse(
        order.instance,
        .init(stage: "container", detail: "there is no thread to look at \(places.containers): \(error)"))
    }
    // Those that were ended still wait there.
    guard homeWorker.waiting + sandboxWorker.waiting < 2 * limits.instances else {
      return refuse(
        order.instance,
        .init(stage: "container", detail: "the file system of \(places.containers) does not answer"))
    }
    nextOrder += 1
    let number = nextOrder
    preparing[order.instance] = Preparing(number: number, bundle: bundle)
    containers.whenKnown(order.extensionIdentifier) { [unowned self] facts in
      guard self.isPreparing(order.instance, number) else { return }
      if let facts, facts.excess(over: self.limits) != nil {
        self.preparing[order.instance] = nil
        return self.handle(.containerMeasured(instance: order.instance, facts))
      }
      self.prepare(order, number)
    }
  }

  private func prepare(_ order: LaunchOrder, _ number: UInt64) {
    let (places, limits) = (places, limits)
    homeWorker.perform {
      Result { () throws(SandboxGrants.Refusal) in
        try LaunchPreparation(order, places: places, limits: limits)
      }
    } completion: { [unowned self] result in
      guard self.isPreparing(order.instance, number),
        let bundle = self.preparing.removeValue(forKey: order.instance)?.bundle
      else { return }
      switch result {
      case .success(let preparation): self.launch(order, bundle, preparation)
      case .failure(let refusal): self.refuse(order.instance, refusal)
      }
    }
  }

  /// false: the instance has ended meanwhile, and must not be started.
  private func isPreparing(_ instance: String, _ number: UInt64) -> Bool {
    preparing[instance]?.number == number
  }

  /// Ends one that the launcher was not asked for yet; whatever it waits for may never answer. false: it is no such one.
  func endPreparing(_ instance: String) -> Bool {
    guard preparing.removeValue(forKey: instance) != nil else { return false }
    handle(.ended(instance: instance, note: "", InstanceEnd(executed: false)))
    return true
  }

  private func refuse(_ instance: String, _ refusal: SandboxGrants.Refusal) {
    handle(
      .launchFailed(
        instance: instance, stage: refusal.stage, errno: refusal.errno, detail: refusal.detail))
  }

  private func launch(_ order: LaunchOrder, _ bundle: SharedDescriptor, _ preparation: LaunchPreparation) {
    let (profile, grants) = (preparation.profile, preparation.grants)
    link?.call(descriptors: [bundle]) { request in
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
}

extension LauncherInterface.ResourceLimits {
  fileprivate init(_ bounds: ResourceBounds) {
    self.init(
      openFiles: bounds.openFiles, fileSize: bounds.fileSize, memory: bounds.memory,
      processes: bounds.processes, cpuWeight: bounds.cpuWeight)
  }
}
