internal import ExtensionInterfaces
internal import Varlink

// From a host's request to the moment in which it holds its lease.

extension Broker {
  mutating func activate(
    _ call: BrokerInterface.Activate, _ request: RequestID, _ host: HostKey, _ session: Session
  ) {
    let identifier = call.extension
    guard
      let facts = catalog.winner(identifier)
        ?? catalog.matching(identifier).first(where: { $0.kind == .appExtension })
    else {
      // Whoever may use nothing is not told what there is.
      if session.peer.sandboxed, !session.verified {
        return refuse(request, session, point: identifier)
      }
      return fail(request, BrokerInterface.ExtensionNotFound(extension: identifier))
    }
    guard permits(session, point: facts.extensionPoint ?? "") else {
      return refuse(request, session, point: facts.extensionPoint ?? identifier)
    }
    guard let entry = catalog.entries[facts.path], let pointIdentifier = facts.extensionPoint,
      let digest = facts.digest, entry.state == .enabled
    else { return failNotEnabled(request, identifier, facts) }
    guard let point = catalog.point(pointIdentifier), catalog.isInScope(facts) else {
      return fail(
        request,
        BrokerInterface.ExtensionNotEnabled(
          extension: identifier, state: .outOfScope, message: scopeMessage(facts)))
    }
    if !session.verified, let rule = catalog.ruling(facts).requiresVerifiedHost {
      return fail(
        request,
        BrokerInterface.NotPermitted(
          message:
            "the policy wants the host's name verified, and \(host.identifier) is only claimed: \(rule)"))
    }
    if call.display == true || facts.runtime == .wayland {
      guard call.display != true || call.connect == true else {
        return fail(request, ServiceInterface.InvalidParameter(parameter: "display"))
      }
      if let obstacle = obstacleToDisplay(of: facts, point) { return fail(request, obstacle) }
    }
    let own = activations.values.lazy.filter { $0.host == host }.count
    guard own < limits.activationsPerHost else {
      return fail(
        request, BrokerInterface.LimitReached(limit: "activationsPerHost", value: limits.activationsPerHost))
    }
    if let until = crashes[digest]?.quarantine(at: now) {
      return failQuarantined(request, identifier, until)
    }
    let existing = existingInstance(facts, point, host)
    if call.display == true, let existing, let obstacle = obstacleToDisplay(of: existing) {
      return fail(request, obstacle)
    }
    if existing == nil {
      guard instances.count < limits.instances else {
        return fail(request, BrokerInterface.LimitReached(limit: "instances", value: limits.instances))
      }
      guard
        instances.values.lazy.filter({ $0.startDeadline > 0 && !$0.isStopping && $0.phase != .running }).count
          < limits.launchesInFlight
      else {
        return fail(
          request, BrokerInterface.LimitReached(limit: "launchesInFlight", value: limits.launchesInFlight))
      }
    }
    guard existing != nil || quotas[host, default: Quotas()].launches.admit(limits.launchesPerMinute, at: now)
    else {
      return fail(
        request, BrokerInterface.LimitReached(limit: "launchesPerMinute", value: limits.launchesPerMinute))
    }
    let instance = existing ?? newInstance(facts, point, digest, host, verified: session.verified)
    let activation = Activation(
      id: "\(generation).a\(unique())", host: host, identifier: identifier, instance: instance,
      scene: call.scene, wantsConnection: call.connect ?? false, wantsDisplay: call.display ?? false,
      since: now.wall, phase: .pending(request, .instance))
    activations[activation.id] = activation
    instances[instance]?.activations.insert(activation.id)
    if existing == nil { check(instance) }
    if instances[instance]?.phase == .running { proceed(activation.id) }
  }

  func scopeMessage(_ facts: BundleFacts) -> String {
    let point = facts.extensionPoint ?? ""
    guard let definition = catalog.point(point) else {
      return
        "no host defines the extension point \(point); install the host, or check the identifier in the bundle"
    }
    return "\(point) takes only extensions inside the bundle of \(definition.host ?? "its host")"
  }

  private mutating func failNotEnabled(_ request: RequestID, _ identifier: String, _ facts: BundleFacts) {
    let entry = catalog.entries[facts.path]
    let state = entry?.state ?? .invalid
    fail(
      request,
      BrokerInterface.ExtensionNotEnabled(
        extension: identifier, state: .init(rawValue: state.rawValue) ?? .invalid,
        message: "\(identifier) may not be used: \(entry?.explanation ?? "it is not complete")"))
  }

  private mutating func failQuarantined(_ request: RequestID, _ identifier: String, _ until: Moment) {
    let reason = Reason(kind: .quarantined, until: Int(until.wall))
    fail(
      request,
      BrokerInterface.ActivationFailed(
        reason: reason,
        message:
          "\(identifier) crashed too often and is not started for another \((until.monotonic - now.monotonic + 999) / 1000) s; 'extctl logs \(identifier)' shows why, 'extctl reset \(identifier)' tries at once",
        standardError: []))
  }

  /// The instance that this host shares by the point's policy.
  private func existingInstance(_ facts: BundleFacts, _ point: PointFacts, _ host: HostKey) -> String? {
    guard point.instancePolicy != .perScene, facts.runtime != .wayland else { return nil }
    return instances.values.first { instance in
      instance.identifier == facts.identifier && instance.digest == facts.digest && !instance.isStopping
        && instance.policy == policy(point) && (instance.policy == .shared || instance.host == host)
    }?.id
  }

  /// One instance has one user interface, so it cannot be shared between hosts.
  private func policy(_ point: PointFacts) -> PointFacts.InstancePolicy {
    point.userInterface && point.instancePolicy == .shared ? .perHost : point.instancePolicy
  }

  private mutating func newInstance(
    _ facts: BundleFacts, _ point: PointFacts, _ digest: String, _ host: HostKey, verified: Bool
  ) -> String {
    let id = "\(generation)-\(unique())"
    let policy = policy(point)
    let timeout = facts.startTimeout ?? limits.startDeadline
    var instance = Instance(
      id: id, identifier: facts.identifier ?? "", extensionPoint: point.identifier, path: facts.path,
      version: facts.version ?? "", digest: digest, policy: policy, host: policy == .shared ? nil : host,
      hostVerified: verified, since: now.wall, phase: .checking, startDeadline: now.monotonic + timeout,
      isDeveloped: facts.isDeveloped, waits: facts.isDeveloped && development(of: facts.path)?.waits == true)
    if obstacleToDisplay(of: facts, point) == nil { instance.display = .possible }
    instances[id] = instance
    return id
  }

  /// The instance is ready: the lease comes next.
  mutating func proceed(_ id: String) {
    guard let activation = activations[id], case .pending(let request, .instance) = activation.phase,
      let instance = instances[activation.instance]
    else { return }
    if let scene = activation.scene, let scenes = instance.scenes, !scenes.contains(scene) {
      fail(request, BrokerInterface.SceneNotFound(scene: scene, scenes: scenes))
      return drop(id)
    }
    activations[id]?.phase = .pending(request, .lease)
    activations[id]?.leaseDeadline = now.monotonic + limits.answerDeadline
    effects.append(
      .keepLease(
        activation: id, instance: activation.instance, note: activation.note(verified: instance.hostVerified))
    )
  }

  /// A launcher that is there and does not answer keeps nobody waiting.
  mutating func expireLeases() {
    for (id, activation) in activations {
      guard let deadline = activation.leaseDeadline, deadline <= now.monotonic,
        case .pending(let request, .lease) = activation.phase
      else { continue }
      fail(request, failure(activation.identifier, Reason(kind: .startTimedOut, stage: "lease"), []))
      drop(id)
    }
  }

  mutating func leaseKept(_ id: String) {
    guard let activation = activations[id], case .pending(let request, .lease) = activation.phase else {
      return
    }
    activations[id]?.leaseDeadline = nil
    if failIfStopping(activation, request) { return }
    guard activation.wantsConnection else { return commit(id, connection: nil) }
    activations[id]?.phase = .pending(request, .accept)
    accept(activation, purpose: .activate, display: activation.wantsDisplay)
  }

  /// What is being stopped is not begun to be used. The reason is known before the end is.
  private mutating func failIfStopping(_ activation: Activation, _ request: RequestID) -> Bool {
    guard case .stopping(let reason, _) = instances[activation.instance]?.phase else { return false }
    fail(request, failure(activation.identifier, reason, []))
    drop(activation.id)
    return true
  }

  mutating func leaseFailed(_ id: String, message: String) {
    guard let activation = activations[id], case .pending(let request, _) = activation.phase else { return }
    fail(
      request, failure(activation.identifier, Reason(kind: .startFailed, stage: "lease", detail: message), [])
    )
    drop(id)
  }

  mutating func accept(
    _ activation: Activation, purpose: Instance.PendingAccept.Purpose, display: Bool
  ) {
    let call = newCall()
    let connection = ConnectionID(UInt64(unique()))
    let deadline = now.monotonic + limits.answerDeadline
    instances.update(activation.instance) { instance in
      instance.accepting[call] = Instance.PendingAccept(
        activation: activation.id, connection: connection, purpose: purpose, wantsDisplay: display,
        deadline: instance.waits ? nil : deadline)
    }
    let isOffered = display && offerDisplay(activation.instance)
    effects.append(
      .accept(
        instance: activation.instance, call: call, connection: connection, activation: activation.id,
        scene: activation.scene, display: isOffered))
  }

  /// From here on the activation is: the host gets lease and connection in one message.
  mutating func commit(_ id: String, connection: ConnectionID?) {
    guard let activation = activations[id], case .pending(let request, _) = activation.phase else { return }
    if failIfStopping(activation, request) {
      if let connection { effects.append(.dropConnection(connection)) }
      return
    }
    activations[id]?.phase = .active
    var descriptors: [DescriptorSource] = [.lease(activation: id)]
    if let connection {
      descriptors.append(.connection(connection))
      activations[id]?.connections += 1
    }
    // It comes with a connection.
    let display = activation.wantsDisplay ? giveDisplay(activation.instance) : nil
    if let display { descriptors.append(display) }
    attempts[activation.identifier] = Attempt(time: now.wall, outcome: "activated", standardError: [])
    reply(
      request,
      BrokerInterface.Activate.Reply(
        activation: id, instance: activation.wantsDisplay ? activation.instance : nil, leaseFileDescriptor: 0,
        connectionFileDescriptor: connection == nil ? nil : 1,
        displayFileDescriptor: display == nil ? nil : 2,
        unmodified: display == nil ? nil : isUnmodified(activation.instance)),
      descriptors: descriptors)
    if let activation = activations[id] { tell(activation.host, event(of: activation)) }
    note(
      .info, "activation.begun", activation.identifier,
      "\(activation.host.identifier) activated \(activation.identifier)\(activation.scene.map { " for scene \($0)" } ?? "")",
      activation: id)
  }

  mutating func connect(_ call: BrokerInterface.Connect, _ request: RequestID, _ host: HostKey) {
    let id = call.activation
    guard let activation = activations[id] else {
      guard let ended = endedActivations[id], ended.host == host else {
        return fail(request, BrokerInterface.ActivationNotFound(activation: id))
      }
      return fail(request, BrokerInterface.ActivationEnded(activation: id, reason: ended.reason))
    }
    guard activation.host == host, !activation.isPending else {
      return fail(request, BrokerInterface.ActivationNotFound(activation: id))
    }
    let most = limits.connectsInFlightPerInstance
    let refusal = instances.update(activation.instance) { instance -> (any VarlinkErrorReply)? in
      // Its activations may be told of nothing yet: what is killed gets no time to deactivate.
      if case .stopping(let reason, _) = instance.phase {
        return BrokerInterface.ActivationEnded(activation: id, reason: reason)
      }
      guard instance.accepting.count >= most else { return nil }
      return BrokerInterface.LimitReached(limit: "connectsInFlightPerInstance", value: most)
    }
    if let refusal = refusal ?? nil { return fail(request, refusal) }
    if call.display == true, let obstacle = obstacleToDisplay(of: activation.instance) {
      return fail(request, obstacle)
    }
    accept(activation, purpose: .connect(request), display: call.display ?? false)
  }

  /// Forgets an activation that no host ever held.
  mutating func drop(_ id: String) {
    guard let activation = activations.removeValue(forKey: id) else { return }
    effects.append(.dropLease(activation: id))
    effects.append(.endLease(activation: id))
    for (call, pending) in instances[activation.instance]?.accepting ?? [:] where pending.activation == id {
      instances[activation.instance]?.accepting[call] = nil
      effects.append(.dropConnection(pending.connection))
    }
    leave(activation.instance, id)
  }

  /// The calls of a peer that is gone have nobody who waits for them.
  mutating func abandonRequests(of peer: PeerID) {
    for (id, activation) in activations {
      if case .pending(let request, _) = activation.phase, request.peer == peer { drop(id) }
    }
    for (id, instance) in instances {
      for (call, pending) in instance.accepting {
        if case .connect(let request) = pending.purpose, request.peer == peer {
          instances[id]?.accepting[call] = nil
          effects.append(.dropConnection(pending.connection))
        }
      }
    }
  }
}
