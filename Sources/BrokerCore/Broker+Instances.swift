internal import ExtensionInterfaces
internal import Varlink

// The life of an instance, after it was asked for.

extension Broker {
  mutating func launched(_ id: String, processID: Int32) {
    guard let instance = instances[id] else {
      // Nobody wants it any more.
      effects.append(.kill(instance: id))
      return
    }
    instances[id]?.processID = processID
    effects.append(.watchContainer(instance: id, identifier: instance.identifier))
    tellDeveloper(id) { .init(event: .started, instance: id, pid: Int(processID)) }
    guard instance.phase == .launching else { return }
    let call = newCall()
    instances[id]?.phase = .starting(call: call)
    effects.append(
      .start(
        instance: id, call: call, extension: instance.identifier, extensionPoint: instance.extensionPoint))
  }

  /// Its program waits for a debugger. What it does from now on may take any time.
  mutating func stopped(_ id: String, processID: Int32) {
    guard let instance = instances[id], instance.waits, !instance.isStopping else { return }
    instances[id]?.deadline = nil
    note(
      .info, "instance.waiting", instance.identifier,
      "\(instance.identifier) waits for a debugger (process \(processID))", instance: id)
    tellDeveloper(id) { .init(event: .waiting, instance: id, pid: Int(processID)) }
  }

  mutating func launchFailed(_ id: String, stage: String, errno: Int?, detail: String?) {
    var reason = Reason(kind: .startFailed, stage: stage, errno: errno, detail: detail)
    if stage == "systemCalls" {
      reason.kind = .sandboxFailed
      reason.detail =
        "its system calls cannot be filtered (error \(errno ?? 0)), and nothing runs without that"
    }
    failStart(id, reason, standardError: [])
  }

  /// The extension did what it was asked for. Which call that was, decides what it means.
  mutating func answered(_ id: String, call: String, scenes: [String]?, hearsMemoryPressure: Bool) {
    // What comes most often is looked for first: no two calls have one name.
    if let pending = takeAccept(id, call: call) { return accepted(id, pending) }
    if endMemoryPressure(id, call: call) { return }
    switch instances[id]?.phase {
    case .starting(call):
      instances[id]?.hearsMemoryPressure = hearsMemoryPressure
      started(id, scenes: scenes)
    case .stopping(_, .asked(call)):
      // It will exit now; the deadline still holds.
      let identifier = instances[id]?.identifier ?? ""
      note(.debug, "instance.stopping", identifier, "\(identifier) answered Stop", instance: id)
    default: break
    }
  }

  /// The extension does not want to.
  mutating func rejected(_ id: String, call: String, message: String) {
    if endMemoryPressure(id, call: call) { return }
    if instances[id]?.phase == .starting(call: call) {
      giveUp(id, Reason(kind: .startFailed, stage: "Start", detail: message))
    } else {
      acceptFailed(id, call: call, BrokerInterface.ConnectionRejected(message: message))
    }
  }

  private mutating func started(_ id: String, scenes: [String]?) {
    guard let instance = instances[id] else { return }
    instances[id]?.phase = .running
    instances[id]?.deadline = nil
    instances[id]?.scenes = scenes
    handshakes[instance.identifier] = "it answered Start"
    setNote(id)
    note(
      .info, "instance.ready", instance.identifier,
      "\(instance.identifier) \(instance.version) is ready (process \(instance.processID ?? 0))", instance: id
    )
    tellDeveloper(id) { .init(event: .ready, instance: id) }
    for activation in instance.activations.sorted() { proceed(activation) }
    stopIfIdle(id)
  }

  /// The connection that waits for the answer to this call, which does not wait any more, and its extension.
  private mutating func takeAccept(
    _ id: String, call: String
  ) -> (connection: Instance.PendingAccept, identifier: String)? {
    let taken = instances.update(id) { ($0.accepting.removeValue(forKey: call), $0.identifier) }
    guard let taken, let connection = taken.0 else { return nil }
    return (connection, taken.1)
  }

  private mutating func accepted(
    _ id: String, _ taken: (connection: Instance.PendingAccept, identifier: String)
  ) {
    let pending = taken.connection
    handshakes[taken.identifier] = "it accepted a connection"
    switch pending.purpose {
    case .activate: commit(pending.activation, connection: pending.connection)
    case .connect(let request):
      activations.update(pending.activation) { $0.connections += 1 }
      let connection = DescriptorSource.connection(pending.connection)
      let display = pending.wantsDisplay ? giveDisplay(id) : nil
      reply(
        request,
        BrokerInterface.Connect.Reply(
          instance: pending.wantsDisplay ? id : nil, connectionFileDescriptor: 0,
          displayFileDescriptor: display == nil ? nil : 1,
          unmodified: display == nil ? nil : isUnmodified(id)),
        descriptors: display.map { [connection, $0] } ?? [connection])
    }
  }

  mutating func acceptFailed(_ id: String, call: String, _ error: any VarlinkErrorReply) {
    guard let (pending, identifier) = takeAccept(id, call: call) else { return }
    let what = (error as? BrokerInterface.ConnectionRejected).map { ": \($0.message)" } ?? ""
    handshakes[identifier] = "it refused a connection\(what)"
    effects.append(.dropConnection(pending.connection))
    switch pending.purpose {
    case .connect(let request): fail(request, error)
    case .activate:
      if case .pending(let request, _) = activations[pending.activation]?.phase { fail(request, error) }
      drop(pending.activation)
    }
  }

  mutating func misbehaved(_ id: String, message: String) {
    guard let instance = instances[id] else { return }
    note(
      .warning, "instance.misbehaved", instance.identifier, "\(instance.identifier) is ended: \(message)",
      instance: id)
    giveUp(id, Reason(kind: .crashed, detail: message))
  }

  // MARK: Ends

  /// The last report about an instance: it has no process any more.
  mutating func instanceEnded(_ id: String, note text: String, _ end: InstanceEnd) {
    if case .restoring = launcher {
      // Its activations are still to come. What ends before the launcher reads the request for its table comes twice.
      if !restoredEnds.contains(where: { $0.instance == id }) { restoredEnds.append((id, text, end)) }
      return
    }
    guard let instance = instances[id] else {
      effects.append(.forget(instance: id))
      return
    }
    let reason = reason(for: instance, end)
    if reason.isCrash {
      var history = crashes[instance.digest] ?? CrashHistory()
      if history.record(at: now) {
        note(
          .warning, "extension.quarantined", instance.identifier,
          "\(instance.identifier) crashed \(CrashHistory.crashesToQuarantine) times and is not started for a while",
          reason: reason)
      }
      crashes[instance.digest] = history
    }
    let level: LogEntry.Level = reason.isCrash ? .warning : .info
    note(
      level, "instance.ended", instance.identifier, "\(instance.identifier) ended: \(reason.sentence)",
      reason: reason,
      instance: id)
    finish(id, reason, standardError: end.standardError)
  }

  /// What the broker wanted counts before how the process took it.
  private func reason(for instance: Instance, _ end: InstanceEnd) -> Reason {
    if case .stopping(let reason, let step) = instance.phase {
      // A host that lets go because its extension has died may be heard of before the extension's end.
      guard reason.kind == .idle, case .asked = step, end.signal != nil || end.outOfMemoryKills > 0 else {
        return reason
      }
    }
    if end.outOfMemoryKills > 0 {
      return Reason(kind: .outOfMemory, limit: end.memoryLimit, peak: end.memoryPeak)
    }
    if let stage = end.failedStage {
      let kind: Reason.Kind = stage == "sandbox" ? .sandboxFailed : .startFailed
      return Reason(kind: kind, stage: stage, errno: end.errno, detail: end.standardError.last)
    }
    if let signal = end.signal {
      return Reason(kind: signal == 9 ? .killed : .crashed, signal: signal)
    }
    if let status = end.exitStatus { return Reason(kind: .exited, status: status) }
    if !end.executed, end.sandboxStatus != 0, end.sandboxStatus < 128 {
      return Reason(
        kind: .sandboxFailed, status: end.sandboxStatus, stage: "sandbox", detail: end.standardError.last)
    }
    return Reason(kind: .killed, signal: 9)
  }

  /// Answers every waiter, tells every host, and forgets the instance.
  mutating func finish(_ id: String, _ reason: Reason, standardError: [String]) {
    tellDeveloper(id) { .init(event: .ended, instance: id, reason: reason) }
    guard let instance = instances.removeValue(forKey: id) else { return }
    switch instance.phase {
    case .checking, .waitingForLauncher: effects.append(.releaseBundle(instance: id))
    default: break
    }
    if instance.display == .waiting { effects.append(.dropDisplay(instance: id)) }
    if instance.phase != .running, !instance.isStopping || !instance.activations.isEmpty {
      attempts[instance.identifier] = Attempt(
        time: now.wall, outcome: reason.sentence, standardError: standardError)
    }
    for pending in instance.accepting.values {
      effects.append(.dropConnection(pending.connection))
      if case .connect(let request) = pending.purpose {
        fail(request, BrokerInterface.ActivationEnded(activation: pending.activation, reason: reason))
      }
    }
    var untold = false
    for activation in instance.activations.sorted() {
      if !end(activation, reason, instance: id, standardError: standardError) { untold = true }
    }
    if instance.isWithLauncher, !untold { effects.append(.forget(instance: id)) }
    completeStops(id)
  }

  /// Ends one activation. Returns false where its host could not be told yet.
  private mutating func end(
    _ id: String, _ reason: Reason, instance: String, standardError: [String]
  ) -> Bool {
    guard let activation = activations.removeValue(forKey: id) else { return true }
    if case .pending(let request, _) = activation.phase {
      effects.append(.endLease(activation: id))
      effects.append(.dropLease(activation: id))
      fail(request, failure(activation.identifier, reason, standardError))
      return true
    }
    // The launcher keeps its row until then, since a broker that starts anew knows of it only from there.
    let told = remember(activation, reason, instance: instance)
    if told { effects.append(.endLease(activation: id)) }
    return told
  }

  func failure(_ identifier: String, _ reason: Reason, _ standardError: [String])
    -> BrokerInterface.ActivationFailed
  {
    BrokerInterface.ActivationFailed(
      reason: reason, message: "\(identifier) could not be activated: \(reason.sentence)",
      standardError: standardError)
  }

  /// Tells the host of the end, and keeps it for GetActivation.
  @discardableResult
  mutating func remember(_ activation: Activation, _ reason: Reason, instance: String?) -> Bool {
    var ended = EndedActivation(
      id: activation.id, host: activation.host, identifier: activation.identifier, scene: activation.scene,
      reason: reason, instance: nil, told: false, deadline: now.monotonic + limits.untoldEndDeadline)
    ended.told = tell(activation.host, event(of: ended))
    // A host without a stream has seen the end of its lease; one that comes back asks.
    if !ended.told { ended.instance = instance }
    endedActivations[activation.id] = ended
    endedOrder.append(activation.id)
    while endedOrder.count > limits.rememberedEnds { forgetEnd(endedOrder.removeFirst()) }
    note(
      .info, "activation.ended", activation.identifier,
      "\(activation.host.identifier)'s use of \(activation.identifier) ended: \(reason.sentence)",
      reason: reason,
      activation: activation.id)
    return ended.told
  }

  mutating func markTold(_ id: String) {
    let instance = endedActivations[id]?.instance
    endedActivations[id]?.told = true
    endedActivations[id]?.instance = nil
    if let instance { forgetIfTold(instance, endOf: id) }
  }

  private mutating func forgetEnd(_ id: String) {
    guard let instance = endedActivations.removeValue(forKey: id)?.instance else { return }
    forgetIfTold(instance, endOf: id)
  }

  /// The launcher may forget an activation when its host knows of the end, and an instance when every host does.
  private mutating func forgetIfTold(_ instance: String, endOf activation: String) {
    effects.append(.endLease(activation: activation))
    guard !endedActivations.values.contains(where: { $0.instance == instance }) else { return }
    effects.append(.forget(instance: instance))
  }

  mutating func failStart(_ id: String, _ reason: Reason, standardError: [String]) {
    finish(id, reason, standardError: standardError)
  }

  // MARK: Leases

  mutating func leaseEnded(_ id: String, hostLives: Bool) {
    guard let activation = activations[id] else {
      effects.append(.endLease(activation: id))
      return
    }
    guard !activation.isPending else { return }
    activations[id] = nil
    effects.append(.endLease(activation: id))
    let reason = Reason(kind: hostLives ? .hostEnded : .hostGone)
    for (call, pending) in instances[activation.instance]?.accepting ?? [:] where pending.activation == id {
      acceptFailed(
        activation.instance, call: call, BrokerInterface.ActivationEnded(activation: id, reason: reason))
    }
    remember(activation, reason, instance: nil)
    leave(activation.instance, id)
  }

  /// An activation left its instance; the last one ends it.
  mutating func leave(_ instance: String, _ activation: String) {
    instances[instance]?.activations.remove(activation)
    stopIfIdle(instance)
  }
}
