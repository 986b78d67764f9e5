import ExtensionInterfaces
import Varlink

@testable import BrokerCore

// What hosts and people are told, held against the books.

extension Simulator {
  /// The last answer to a call, an error.
  func receive(_ request: RequestID, _ error: any VarlinkErrorReply) {
    guard let client = answered(request, continues: false) else { return }
    switch error {
    case let failure as BrokerInterface.ActivationFailed: reach("failed: \(failure.reason.kind.rawValue)")
    case is BrokerInterface.NotPermitted:
      reach("NotPermitted")
      if !client.program.sandboxed { fault("\(client.program) is refused as if it were sandboxed") }
    case let failure as BrokerInterface.ExtensionNotEnabled:
      reach("not enabled: \(failure.state.rawValue)")
      if let copy = copyInUse(failure.extension), isInScope(copy) {
        fault("\(failure.extension) is \(failure.state), and \(copy.path) may be used")
      }
    case let failure as BrokerInterface.LimitReached: reach("limit: \(failure.limit)")
    default: break
    }
  }

  func receive(_ request: RequestID, _ value: any VarlinkStructure, continues: Bool) {
    guard let client = answered(request, continues: continues) else { return }
    let peer = request.peer
    switch value {
    case let reply as BrokerInterface.Hello.Reply:
      clients[peer]?.isGreeted = true
      clients[peer]?.verified = reply.verified
      if reply.verified { checkVerified(client.program) }
    case let reply as BrokerInterface.Activate.Reply: begin(reply.activation, client)
    case let reply as BrokerInterface.Discover.Reply:
      checkSandbox(client, reply.snapshot.identities.map(\.extensionPoint))
    case let reply as BrokerInterface.Subscribe.Reply: hear(peer, reply)
    case let reply as BrokerInterface.GetActivation.Reply: learn(reply.event, client, openedAt: nil)
    case let reply as AdminInterface.Watch.Reply:
      if reply.sequence <= client.stream?.sequence ?? 0 { fault("\(reply) comes after \(client)") }
      clients[peer]?.stream = Client.Stream(points: [], openedAt: count, sequence: reply.sequence)
    case let reply as AdminInterface.Develop.Reply:
      clients[peer]?.stream = Client.Stream(points: [], openedAt: count)
      reach("developer: \(reply.event)")
      if client.isBlocked { fault("\(reply) to \(peer), which does not read") }
    case let reply as AdminInterface.List.Reply: checkList(reply)
    case let reply as AdminInterface.Explain.Reply:
      guard let name = client.call?.asked, reply.usable else { return }
      if let facts = copyInUse(name) ?? disk[name], facts.kind == .appExtension { checkUsable(facts) }
    default: break
    }
  }

  /// Whose call it was; nil where nobody is there any more.
  private func answered(_ request: RequestID, continues: Bool) -> Client? {
    guard let client = clients[request.peer] else { return nil }
    guard client.call?.request == request else {
      fault("an answer to \(request), which does not wait for one")
      return nil
    }
    if !continues {
      clients[request.peer]?.call = nil
      clients[request.peer]?.stream = nil
    }
    return client
  }

  private func begin(_ id: String, _ client: Client) {
    guard let lease = leases[id] else { return fault("\(id) begins without a lease") }
    if lives[id] != nil { fault("\(id) begins twice") }
    reach("begun")
    leases[id]?.isHeld = true
    lives[id] = Life(host: client.program.key, instance: lease.instance)
    checkSandbox(client, [broker.instances[lease.instance]?.extensionPoint ?? ""])
    let own = broker.activations.values.lazy.filter { $0.host == client.program.key }.count
    if own > limits.activationsPerHost { fault("\(client.program) has \(own) activations") }
  }

  private func hear(_ peer: PeerID, _ reply: BrokerInterface.Subscribe.Reply) {
    guard let client = clients[peer], var stream = client.stream else { return fault("no stream at \(peer)") }
    stream.sequence += 1
    if reply.sequence != stream.sequence { fault("\(reply.sequence) comes as number \(stream.sequence)") }
    if client.isBlocked, reply.snapshot == nil { fault("\(reply) to \(peer), which does not read") }
    if let snapshot = reply.snapshot {
      stream.known = Dictionary(uniqueKeysWithValues: snapshot.identities.map { ($0.id, $0) })
    }
    if let change = reply.change {
      for identity in change.added where stream.known.updateValue(identity, forKey: identity.id) != nil {
        fault("\(identity.id) is added twice")
      }
      for identity in change.updated where stream.known.updateValue(identity, forKey: identity.id) == nil {
        fault("\(identity.id) is updated and was not there")
      }
      for id in change.removed where stream.known.removeValue(forKey: id) == nil {
        fault("\(id) is removed and was not there")
      }
    }
    if let event = reply.activation {
      let ranks: [BrokerInterface.ActivationEvent.State: Int] = [
        .activated: 1, .willDeactivate: 2, .deactivated: 3,
      ]
      let rank = ranks[event.state] ?? 0
      if stream.states[event.activation, default: 0] >= rank { fault("\(event) after a later state") }
      stream.states[event.activation] = rank
      learn(event, client, openedAt: stream.openedAt)
    }
    clients[peer]?.stream = stream
    checkSandbox(client, stream.known.values.map(\.extensionPoint))
  }

  /// A host hears of one of its activations. `openedAt`: of the stream that tells; nil for an answer.
  private func learn(_ event: BrokerInterface.ActivationEvent, _ client: Client, openedAt: Int?) {
    let id = event.activation
    guard let life = lives[id] else {
      if !unanswered.contains(id) { fault("\(event) of what never began") }
      return
    }
    if life.host != client.program.key { fault("\(event) to \(client.program), whose it is not") }
    reach(event.state == .deactivated ? event.reason?.kind.rawValue ?? "" : event.state.rawValue)
    guard event.state == .deactivated else {
      if life.toldAt != nil, !life.mayRepeat { fault("\(event) after its end") }
      return
    }
    if let openedAt, let toldAt = life.toldAt, openedAt > toldAt, !life.mayRepeat {
      fault("\(event) is told again")
    }
    lives[id]?.toldAt = life.toldAt ?? count
  }

  /// What the broker says for the journal.
  func read(_ entry: LogEntry) {
    switch entry.fields["EVENT"] {
    case "activation.ended":
      guard let id = entry.fields["ACTIVATION"], let life = lives[id] else { return }
      if life.endedIn == run { fault("\(id) ends twice") }
      lives[id]?.endedIn = run
      lives[id]?.endedAt = now.monotonic
    case "instance.ended":
      guard let id = entry.fields["INSTANCE"] else { return }
      if !reported.insert(id).inserted { fault("\(id) ends twice") }
      if restBegins, let digest = launched[id]?.digest { restsUntil[digest] = now.monotonic + 300_000 }
      restBegins = false
    case "extension.quarantined":
      reach("quarantined")
      restBegins = true
    default: break
    }
  }
}
