internal import ExtensionInterfaces

// From the wish for an instance to the order for the launcher: the bundle must be what was decided about, until then.

extension Broker {
  mutating func bundleChecked(_ id: String, _ check: BundleCheck) {
    guard let instance = instances[id], instance.phase == .checking else {
      effects.append(.releaseBundle(instance: id))
      return
    }
    switch check {
    case .current:
      instances[id]?.phase = .waitingForLauncher
      launchIfPossible(id)
    case .changed:
      // The scan that follows finds out what it is now.
      effects.append(.scan(path: instance.path))
      if catalog.followsContent(instance.path) {
        instances[id]?.phase = .rereading
        return
      }
      failStart(id, Reason(kind: .changed), standardError: [])
    case .busy(let path):
      failStart(
        id,
        Reason(
          kind: .startFailed, stage: "check",
          detail: "\(path) is open for writing; try again when it is closed"),
        standardError: [])
    case .unreadable(let errno, let detail):
      effects.append(.scan(path: instance.path))
      failStart(
        id, Reason(kind: .startFailed, stage: "check", errno: errno, detail: detail), standardError: [])
    }
  }

  /// Has the bundle looked at, unless it is known already to be something else, or has crashed meanwhile.
  mutating func check(_ id: String) {
    followContent(id)
    guard let instance = instances[id] else { return }
    if let reason = obstacle(instance) { return failStart(id, reason, standardError: []) }
    let delay = crashes[instance.digest]?.delay(at: now) ?? 0
    if delay > 0 {
      instances[id]?.phase = .backingOff
      instances[id]?.deadline = min(now.monotonic + delay, instance.startDeadline)
      return
    }
    instances[id]?.phase = .checking
    instances[id]?.deadline = instance.startDeadline
    effects.append(.checkBundle(instance: id, path: instance.path, digest: instance.digest))
  }

  /// Takes up what a bundle has become, where that needs no approval. False where there is nothing new.
  @discardableResult
  private mutating func followContent(_ id: String) -> Bool {
    guard let instance = instances[id], catalog.followsContent(instance.path),
      let facts = catalog.bundles[instance.path], let digest = facts.digest, digest != instance.digest
    else { return false }
    instances[id]?.digest = digest
    instances[id]?.version = facts.version ?? ""
    return true
  }

  /// Goes on with instances whose bundle was read again.
  mutating func checkReread(_ found: [BundleFacts]) {
    let paths = Set(found.map(\.path))
    for (id, instance) in instances where instance.phase == .rereading && paths.contains(instance.path) {
      check(id)
    }
  }

  /// Why an instance may not be launched any more: files and decisions change while it waits.
  func obstacle(_ instance: Instance) -> Reason? {
    if case .refused(let message) = launcher {
      return Reason(kind: .startFailed, stage: "launcher", detail: message)
    }
    guard let entry = catalog.entries[instance.path] else { return Reason(kind: .removed) }
    guard let facts = catalog.bundles[instance.path], facts.digest == instance.digest else {
      return Reason(kind: .changed)
    }
    switch entry.state {
    case .enabled:
      if let until = crashes[instance.digest]?.quarantine(at: now) {
        return Reason(kind: .quarantined, until: Int(until.wall))
      }
      return catalog.isInScope(facts) ? nil : Reason(kind: .policy, rule: "scope")
    case .shadowed: return Reason(kind: .updated)
    case .disabled, .unapproved: return Reason(kind: .disabled)
    case .blocked: return Reason(kind: .policy, rule: entry.rule)
    default: return Reason(kind: .changed)
    }
  }

  mutating func launchIfPossible(_ id: String) {
    guard let instance = instances[id], instance.phase == .waitingForLauncher, case .connected = launcher
    else {
      return
    }
    if followContent(id) {
      // What was checked is not what is there now.
      effects.append(.releaseBundle(instance: id))
      return check(id)
    }
    if let reason = obstacle(instance) { return failStart(id, reason, standardError: []) }
    guard let facts = catalog.bundles[instance.path], let program = facts.program else { return }
    instances[id]?.phase = .launching
    guard let note = instances[id]?.note else { return }
    effects.append(
      .launch(
        LaunchOrder(
          instance: id, extensionIdentifier: instance.identifier, extensionPoint: instance.extensionPoint,
          path: instance.path, program: program, arguments: facts.arguments,
          entitlements: facts.entitlements, bounds: bounds(of: facts),
          withoutSandbox: runsWithoutSandbox(facts), runtime: facts.runtime,
          isShown: instance.display != .none,
          waits: instance.waits,
          note: note)))
  }
}
