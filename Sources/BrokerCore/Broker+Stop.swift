internal import ExtensionInterfaces

// The orderly end of an instance: Stop, then SIGTERM, then SIGKILL.

/// Somebody waits until instances have ended.
struct StopRequest: Sendable {
  let request: RequestID
  var remaining: Set<String>
  var ended = 0
}

extension Broker {
  mutating func stopIfIdle(_ id: String) {
    guard let instance = instances[id], instance.activations.isEmpty, !instance.isStopping else { return }
    stop(id, Reason(kind: .idle))
  }

  /// Begins the end of an instance. Its hosts are told now, and again when it has ended.
  mutating func stop(_ id: String, _ reason: Reason) {
    guard let instance = instances[id], !instance.isStopping else { return }
    guard instance.isWithLauncher else { return finish(id, reason, standardError: []) }
    var step = Instance.StopStep.terminated
    if instance.phase == .running {
      let call = newCall()
      step = .asked(call: call)
      effects.append(.stop(instance: id, call: call))
      instances[id]?.deadline = now.monotonic + limits.stopDeadline
    } else {
      effects.append(.terminate(instance: id))
      instances[id]?.deadline = now.monotonic + limits.terminateDeadline
    }
    instances[id]?.phase = .stopping(reason, step)
    setNote(id)
    for activation in instance.activations.sorted() { willDeactivate(activation, reason) }
  }

  /// It does not do what it should: no more courtesy.
  mutating func giveUp(_ id: String, _ reason: Reason) {
    guard let instance = instances[id] else { return }
    guard instance.isWithLauncher else { return finish(id, reason, standardError: []) }
    if case .stopping(_, .killed) = instance.phase { return }
    instances[id]?.phase = .stopping(reason, .killed)
    instances[id]?.deadline = now.monotonic + limits.terminateDeadline
    setNote(id)
    effects.append(.kill(instance: id))
  }

  private mutating func willDeactivate(_ id: String, _ reason: Reason) {
    guard let activation = activations[id], !activation.isPending else { return }
    activations[id]?.phase = .deactivating(reason)
    if let activation = activations[id] { tell(activation.host, event(of: activation)) }
  }

  mutating func escalate(_ id: String) {
    guard let instance = instances[id], case .stopping(let reason, let step) = instance.phase else { return }
    switch step {
    case .asked:
      instances[id]?.phase = .stopping(reason, .terminated)
      instances[id]?.deadline = now.monotonic + limits.terminateDeadline
      effects.append(.terminate(instance: id))
    case .terminated:
      instances[id]?.phase = .stopping(reason, .killed)
      instances[id]?.deadline = now.monotonic + limits.terminateDeadline
      effects.append(.kill(instance: id))
    case .killed:
      instances[id]?.deadline = nil
      answerWaiters(instance, reason)
    }
  }

  /// Even SIGKILL can take long. Whoever waits need not wait for it.
  private mutating func answerWaiters(_ instance: Instance, _ reason: Reason) {
    for (call, pending) in instance.accepting {
      guard case .connect(let request) = pending.purpose else { continue }
      instances[instance.id]?.accepting[call] = nil
      effects.append(.dropConnection(pending.connection))
      fail(request, BrokerInterface.ActivationEnded(activation: pending.activation, reason: reason))
    }
    for id in instance.activations.sorted() {
      guard let activation = activations[id], case .pending(let request, _) = activation.phase else {
        continue
      }
      attempts[instance.identifier] = Attempt(time: now.wall, outcome: reason.sentence, standardError: [])
      fail(request, failure(activation.identifier, reason, []))
      drop(id)
    }
  }

  mutating func setNote(_ id: String) {
    guard let instance = instances[id], instance.isWithLauncher else { return }
    effects.append(.setNote(subject: id, note: instance.note))
  }

  // MARK: Requests to stop

  mutating func handleStop(_ target: String, _ request: RequestID) {
    let ids = instances.values.filter { $0.id == target || $0.identifier == target || $0.path == target }.map(
      \.id)
    guard !ids.isEmpty else {
      if catalog.matching(target).isEmpty {
        return fail(request, AdminInterface.InstanceNotFound(target: target))
      }
      return reply(request, AdminInterface.Stop.Reply(ended: 0))
    }
    stops.append(StopRequest(request: request, remaining: Set(ids)))
    for id in ids.sorted() { stop(id, Reason(kind: .stopping)) }
  }

  mutating func completeStops(_ id: String) {
    for index in stops.indices where stops[index].remaining.remove(id) != nil { stops[index].ended += 1 }
    for stop in stops where stop.remaining.isEmpty {
      reply(stop.request, AdminInterface.Stop.Reply(ended: stop.ended))
    }
    stops.removeAll { $0.remaining.isEmpty }
  }

  // MARK: Deadlines

  mutating func checkDeadlines() {
    expireLeases()
    for (id, instance) in instances {
      if let deadline = instance.deadline, deadline <= now.monotonic { expire(id, instance) }
      expireAccepts(id)
    }
    let late = endedActivations.values.filter { $0.instance != nil && $0.deadline <= now.monotonic }
    for ended in late { markTold(ended.id) }
    crashes = crashes.filter { !$0.value.isForgettable(at: now) }
    announceWhatIsDue()
  }

  private mutating func expire(_ id: String, _ instance: Instance) {
    switch instance.phase {
    case .backingOff where now.monotonic < instance.startDeadline: check(id)
    case .backingOff:
      let until = crashes[instance.digest]?.notBefore?.wall ?? now.wall
      finish(id, Reason(kind: .quarantined, until: Int(until)), standardError: [])
    case .checking, .rereading, .waitingForLauncher, .launching, .starting:
      giveUp(id, Reason(kind: .startTimedOut, stage: instance.stage))
    case .running: instances[id]?.deadline = nil
    case .stopping: escalate(id)
    }
  }

  private mutating func expireAccepts(_ id: String) {
    guard let instance = instances[id], !instance.isStopping,
      instance.accepting.values.contains(where: { ($0.deadline ?? .max) <= now.monotonic })
    else { return }
    giveUp(id, Reason(kind: .unresponsive, stage: "AcceptConnection"))
  }
}
