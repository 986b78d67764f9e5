internal import ExtensionInterfaces

// What hosts are told without asking.

extension Broker {
  /// The extensions of some points, and how many are not named.
  func snapshot(of points: Set<String>, in languages: [String]) -> BrokerInterface.Snapshot {
    var snapshot = BrokerInterface.Snapshot(identities: [], disabledCount: 0, unapprovedCount: 0)
    for point in points {
      for identifier in catalog.identifiersByPoint[point] ?? [] {
        guard let facts = catalog.winner(identifier), facts.extensionPoint == point, catalog.isInScope(facts),
          let entry = catalog.entry(identifier)
        else { continue }
        switch entry.state {
        case .enabled: snapshot.identities.append(identity(facts, in: languages))
        case .disabled: snapshot.disabledCount += 1
        case .unapproved, .changed: snapshot.unapprovedCount += 1
        default: break
        }
      }
    }
    snapshot.identities.sort { $0.id < $1.id }
    return snapshot
  }

  func identity(_ facts: BundleFacts, in languages: [String]) -> BrokerInterface.Identity {
    let identifier = facts.identifier ?? ""
    return BrokerInterface.Identity(
      id: identifier, bundleIdentifier: identifier,
      localizedName: facts.name?.text(in: languages) ?? identifier,
      extensionPoint: facts.extensionPoint ?? "", version: facts.version ?? facts.buildVersion ?? "",
      details: .init(facts.details, in: languages))
  }

  mutating func subscribe(_ points: Set<String>, in languages: [String], _ request: RequestID) {
    var subscription = Subscription(request: request, points: points, languages: languages)
    sendSnapshot(&subscription)
    sessions[request.peer]?.subscription = subscription
    guard let host = sessions[request.peer]?.host else { return }
    for activation in activations.values.sorted(by: { $0.id < $1.id })
    where activation.host == host && !activation.isPending {
      tell(request.peer, event(of: activation))
    }
    // Ends that nobody could be told of while no stream stood.
    for id in endedOrder {
      guard let ended = endedActivations[id], ended.host == host, !ended.told else { continue }
      if tell(request.peer, event(of: ended)) { markTold(id) }
    }
  }

  private mutating func sendSnapshot(_ subscription: inout Subscription) {
    let snapshot = snapshot(of: subscription.points, in: subscription.languages)
    subscription.sequence += 1
    subscription.known = Dictionary(uniqueKeysWithValues: snapshot.identities.map { ($0.id, $0) })
    subscription.disabledCount = snapshot.disabledCount
    subscription.unapprovedCount = snapshot.unapprovedCount
    subscription.isBehind = false
    reply(
      subscription.request,
      BrokerInterface.Subscribe.Reply(sequence: subscription.sequence, snapshot: snapshot), continues: true)
  }

  /// Tells every host that watches a point of these identifiers what became different.
  mutating func tellChanges(_ identifiers: Set<String>, points: Set<String>) {
    for (peer, session) in sessions {
      guard var subscription = session.subscription, !subscription.points.isDisjoint(with: points) else {
        continue
      }
      if session.isBlocked {
        subscription.isBehind = true
      } else {
        sendChange(&subscription)
      }
      sessions[peer]?.subscription = subscription
    }
  }

  private mutating func sendChange(_ subscription: inout Subscription) {
    let snapshot = snapshot(of: subscription.points, in: subscription.languages)
    var change = BrokerInterface.Change(
      added: [], updated: [], removed: [], disabledCount: snapshot.disabledCount,
      unapprovedCount: snapshot.unapprovedCount)
    var known: [String: BrokerInterface.Identity] = [:]
    for identity in snapshot.identities {
      known[identity.id] = identity
      switch subscription.known[identity.id] {
      case nil: change.added.append(identity)
      case identity: break
      default: change.updated.append(identity)
      }
    }
    change.removed = subscription.known.keys.filter { known[$0] == nil }.sorted()
    let isNews =
      !change.added.isEmpty || !change.updated.isEmpty || !change.removed.isEmpty
      || change.disabledCount != subscription.disabledCount
      || change.unapprovedCount != subscription.unapprovedCount
    guard isNews else { return }
    subscription.known = known
    subscription.disabledCount = snapshot.disabledCount
    subscription.unapprovedCount = snapshot.unapprovedCount
    subscription.sequence += 1
    reply(
      subscription.request, BrokerInterface.Subscribe.Reply(sequence: subscription.sequence, change: change),
      continues: true)
  }

  // MARK: Activations

  func event(of activation: Activation) -> BrokerInterface.ActivationEvent {
    var event = BrokerInterface.ActivationEvent(
      activation: activation.id, extension: activation.identifier, scene: activation.scene, state: .activated)
    if case .deactivating(let reason) = activation.phase {
      event.state = .willDeactivate
      event.reason = reason
      let end = instances[activation.instance]?.deadline ?? now.monotonic
      event.deadline = Int(max(0, end - now.monotonic))
    }
    return event
  }

  func event(of ended: EndedActivation) -> BrokerInterface.ActivationEvent {
    BrokerInterface.ActivationEvent(
      activation: ended.id, extension: ended.identifier, scene: ended.scene, state: .deactivated,
      reason: ended.reason)
  }

  /// Tells all streams of a host. Returns whether one took it: what waits for a slow reader is not told yet.
  @discardableResult
  mutating func tell(_ host: HostKey, _ event: BrokerInterface.ActivationEvent) -> Bool {
    var told = false
    for (peer, session) in sessions where session.host == host && session.subscription != nil {
      if tell(peer, event) { told = true }
    }
    return told
  }

  @discardableResult
  private mutating func tell(_ peer: PeerID, _ event: BrokerInterface.ActivationEvent) -> Bool {
    guard let session = sessions[peer], var subscription = session.subscription else { return false }
    if session.isBlocked {
      // One event for each activation: a later state makes the one before it pointless.
      subscription.waiting.removeAll { $0.activation == event.activation }
      subscription.waiting.append(event)
      if subscription.waiting.count > limits.waitingEvents {
        giveUp(peer, subscription)
        return false
      }
    } else {
      send(event, &subscription)
    }
    sessions[peer]?.subscription = subscription
    return !session.isBlocked
  }

  /// A host that goes on without ever reading loses its stream. Its next one tells of the ends.
  private mutating func giveUp(_ peer: PeerID, _ subscription: Subscription) {
    sessions[peer]?.subscription = nil
    fail(
      subscription.request, BrokerInterface.LimitReached(limit: "waitingEvents", value: limits.waitingEvents))
  }

  private mutating func send(_ event: BrokerInterface.ActivationEvent, _ subscription: inout Subscription) {
    subscription.sequence += 1
    reply(
      subscription.request,
      BrokerInterface.Subscribe.Reply(sequence: subscription.sequence, activation: event), continues: true)
  }

  /// A peer that was slow has read everything.
  mutating func catchUp(_ peer: PeerID) {
    sessions[peer]?.isBlocked = false
    if sessions[peer]?.development != nil { tellDevelopers() }
    guard var subscription = sessions[peer]?.subscription else { return }
    if subscription.isBehind { sendSnapshot(&subscription) }
    let waiting = subscription.waiting
    subscription.waiting = []
    for event in waiting { send(event, &subscription) }
    sessions[peer]?.subscription = subscription
    for event in waiting where event.state == .deactivated { markTold(event.activation) }
  }
}
