internal import ExtensionInterfaces

// What hosts are told without asking.

extension Broker {
  /// The extensions of some points, and how many are not named.
  func snapshot(of points: Set<String>, in languages: [String]) -> BrokerInterface.Snapshot {
    var snapshot = BrokerInterface.Snapshot(identities: [], disabledCount: 0, unapprovedCount: 0)
    for point in points {
      let audience = catalog.audience(of: point)
      for identifier in audience.named {
        if let facts = catalog.winner(identifier) {
          snapshot.identities.append(identity(facts, in: languages))
        }
      }
      snapshot.disabledCount += audience.disabled
      snapshot.unapprovedCount += audience.unapproved
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
    unsubscribe(request.peer)
    var subscription = Subscription(request: request, feed: Feed.Key(points: points, languages: languages))
    sendSnapshot(&subscription)
    sessions[request.peer]?.subscription = subscription
    guard let host = sessions[request.peer]?.host else { return }
    listeners[host, default: []].append(request.peer)
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
    let key = subscription.feed
    let snapshot = snapshot(of: key.points, in: key.languages)
    feeds[key, default: Feed(snapshot)].add(subscription.request.peer)
    subscription.sequence += 1
    subscription.isBehind = false
    reply(
      subscription.request,
      BrokerInterface.Subscribe.Reply(sequence: subscription.sequence, snapshot: snapshot), continues: true)
  }

  /// The peer's stream is over.
  mutating func unsubscribe(_ peer: PeerID) {
    guard let key = sessions[peer]?.subscription?.feed else { return }
    sessions[peer]?.subscription = nil
    if let host = sessions[peer]?.host {
      listeners[host]?.removeAll { $0 == peer }
      if listeners[host]?.isEmpty == true { listeners[host] = nil }
    }
    feeds[key]?.remove(peer)
    if feeds[key]?.subscribers.isEmpty == true { feeds[key] = nil }
  }

  /// Tells every host that watches a point of these identifiers what became different.
  mutating func tellChanges(_ identifiers: Set<String>, points: Set<String>) {
    let sorted = identifiers.sorted()
    for key in feeds.keys where !key.points.isDisjoint(with: points) {
      if let change = change(of: key, sorted) { tell(change, feeds[key]?.subscribers ?? []) }
    }
  }

  private mutating func change(of key: Feed.Key, _ identifiers: [String]) -> BrokerInterface.Change? {
    let now = identifiers.map { identifier in
      (identifier, catalog.named(identifier, among: key.points).map { identity($0, in: key.languages) })
    }
    let audiences = key.points.map { catalog.audience(of: $0) }
    return feeds[key]?.update(
      now, disabledCount: audiences.reduce(0) { $0 + $1.disabled },
      unapprovedCount: audiences.reduce(0) { $0 + $1.unapproved })
  }

  /// Streams that have come equally far get the same bytes.
  private mutating func tell(_ change: BrokerInterface.Change, _ subscribers: [PeerID]) {
    var requests: [Int: [RequestID]] = [:]
    // Most have come as far as the one before.
    var (same, sequence) = ([RequestID](), 0)
    same.reserveCapacity(subscribers.count)
    for peer in subscribers {
      // Nobody is told before all were looked at.
      let next = sessions.update(peer) { $0.subscription?.next(isBlocked: $0.isBlocked) ?? nil }
      guard let next = next ?? nil else { continue }
      if next.sequence != sequence {
        if !same.isEmpty { requests[sequence, default: []] += same }
        same.removeAll(keepingCapacity: true)
        sequence = next.sequence
      }
      same.append(next.request)
    }
    if !same.isEmpty { requests[sequence, default: []] += same }
    for (sequence, requests) in requests {
      effects.append(.tell(requests, BrokerInterface.Subscribe.Reply(sequence: sequence, change: change)))
    }
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
    for peer in listeners[host] ?? [] where tell(peer, event) { told = true }
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
    unsubscribe(peer)
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
