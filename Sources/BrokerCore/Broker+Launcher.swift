internal import ExtensionInterfaces

// The launcher, and the state that it keeps over the broker's own end.

enum LauncherState: Hashable, Sendable {
  /// Not asked yet.
  case unknown
  /// Its table is on the way.
  case restoring(LauncherFacts)
  case connected(LauncherFacts)
  case absent
  /// There is one, but not for this broker; why, and what to do.
  case refused(String)

  var isSettled: Bool {
    switch self {
    case .connected, .absent, .refused: true
    case .unknown, .restoring: false
    }
  }
}

extension Broker {
  /// So many brokers in a row died soon after they had taken the state back: it is the state that kills them.
  static let unsettledStartsToStartClean = 3

  mutating func launcherConnected(_ facts: LauncherFacts) {
    launcher = .restoring(facts)
    if startsClean {
      note(
        .error, "launcher.startedClean", nil,
        "\(facts.unsettledStarts) brokers in a row ended soon after they had taken back what runs, so all of it is ended now"
      )
    }
  }

  private var startsClean: Bool {
    guard case .restoring(let facts) = launcher else { return false }
    return facts.unsettledStarts >= Self.unsettledStartsToStartClean
  }

  mutating func restoreInstance(_ id: String, processID: Int32, executed: Bool, note text: String) {
    guard instances[id] == nil else { return }
    guard !startsClean, let note = decodeNote(text, as: NotesInterface.Instance.self),
      note.format == noteFormat
    else {
      // Nobody can say what it is for.
      effects.append(.kill(instance: id))
      return
    }
    instances[id] = restored(id, note, processID: processID, executed: executed)
    effects.append(.watchContainer(instance: id, identifier: note.extension))
  }

  private func restored(
    _ id: String, _ note: NotesInterface.Instance, processID: Int32?, executed: Bool
  ) -> Instance {
    var instance = Instance(
      id: id, identifier: note.extension, extensionPoint: note.extensionPoint, path: note.path,
      version: note.version, digest: note.digest, policy: .init(rawValue: note.policy.rawValue) ?? .perHost,
      host: note.host.map(HostKey.init), hostVerified: note.host?.verified ?? false, since: Int64(note.since),
      phase: .running, startDeadline: now.monotonic)
    instance.processID = processID
    instance.executed = executed
    instance.scenes = note.scenes
    instance.hearsMemoryPressure = note.memoryPressure ?? false
    if let display = note.display { instance.display = display == .given ? .given : .possible }
    switch note.phase {
    case .running: break
    case .starting:
      // Whoever waited for it has to ask again.
      instance.phase = .stopping(Reason(kind: .idle), .terminated)
    case .stopping:
      let kind = note.stopReason.flatMap(Reason.Kind.init(rawValue:)) ?? .stopping
      instance.phase = .stopping(Reason(kind: kind), .terminated)
    }
    // SIGTERM comes when the table is complete; then it has the time that everybody has.
    if instance.isStopping { instance.deadline = now.monotonic + limits.terminateDeadline }
    return instance
  }

  mutating func restoreActivation(_ id: String, instance: String, note text: String, endedByHost: Bool) {
    guard activations[id] == nil else { return }
    guard !endedByHost, !startsClean, let note = decodeNote(text, as: NotesInterface.Activation.self),
      note.format == noteFormat
    else {
      effects.append(.endLease(activation: id))
      return
    }
    activations[id] = Activation(
      id: id, host: HostKey(note.host), identifier: note.extension, instance: instance, scene: note.scene,
      wantsConnection: false, since: Int64(note.since), phase: .active)
    if case .stopping(let reason, _) = instances[instance]?.phase {
      activations[id]?.phase = .deactivating(reason)
    }
    instances[instance]?.activations.insert(id)
  }

  mutating func launcherRestored() {
    guard case .restoring(let facts) = launcher else { return }
    let isClean = startsClean
    launcher = .connected(facts)
    effects.append(.settled)
    finishRestoredEnds(isClean: isClean)
    for (id, instance) in instances {
      if case .stopping = instance.phase { effects.append(.terminate(instance: id)) }
      if instance.phase == .running { stopIfIdle(id) }
      launchIfPossible(id)
    }
    endOrphans()
    let restored = instances.values.lazy.filter(\.isWithLauncher).count
    if restored > 0 {
      note(.notice, "launcher.restored", nil, "took back \(restored) instances from the launcher")
    }
    becomeReady()
  }

  /// Leases whose instance the launcher does not know.
  private mutating func endOrphans() {
    for (id, activation) in activations where instances[activation.instance] == nil {
      activations[id] = nil
      effects.append(.endLease(activation: id))
      remember(activation, Reason(kind: .launcherGone), instance: nil)
    }
  }

  /// What ended while no broker was there: its hosts are told now, or when they come back.
  private mutating func finishRestoredEnds(isClean: Bool) {
    let ends = restoredEnds
    restoredEnds = []
    for (id, text, end) in ends {
      guard !isClean else {
        // Its note may be what kills brokers.
        effects.append(.forget(instance: id))
        continue
      }
      if instances[id] == nil, let note = decodeNote(text, as: NotesInterface.Instance.self) {
        var instance = restored(id, note, processID: nil, executed: end.executed)
        instance.activations = Set(activations.values.filter { $0.instance == id }.map(\.id))
        instances[id] = instance
      }
      instanceEnded(id, note: text, end)
    }
  }

  /// Nobody waits for a launcher that cannot come before somebody has done something.
  mutating func launcherRefused(_ message: String) {
    launcher = .refused(message)
    note(.error, "launcher.refused", nil, message)
    for (id, instance) in instances {
      if let reason = obstacle(instance) { failStart(id, reason, standardError: []) }
    }
    becomeReady()
  }

  /// All instances ended with it. Those that had not begun wait for the next launcher.
  mutating func launcherGone() {
    let was = launcher
    let isClean = startsClean
    launcher = .absent
    if case .connected = was {
      note(.error, "launcher.gone", nil, "the launcher ended, and with it \(instances.count) instances")
    }
    // What it could still tell of its table counts.
    finishRestoredEnds(isClean: isClean)
    for (id, instance) in instances {
      switch instance.phase {
      case .backingOff, .checking, .rereading, .waitingForLauncher: break
      case .launching where instance.startDeadline > now.monotonic:
        // Not known to have begun: it is launched again.
        check(id)
      default: finish(id, Reason(kind: .launcherGone), standardError: [])
      }
    }
    endOrphans()
    becomeReady()
  }
}
