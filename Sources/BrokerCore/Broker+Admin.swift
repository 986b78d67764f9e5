internal import ExtensionInterfaces
internal import Varlink

// What people ask.

extension Broker {
  mutating func handle(_ call: AdminInterface.Call, _ request: RequestID, more: Bool) {
    switch call {
    case .list(let list):
      let found = catalog.matching(list.extension)
      if let name = list.extension, found.isEmpty {
        return fail(request, AdminInterface.ExtensionNotFound(extension: name))
      }
      let languages = self.languages(list.languages) ?? languages
      let rows = rows(found.filter { $0.kind != .pointFile }, in: languages)
      reply(request, AdminInterface.List.Reply(extensions: rows))
    case .approve(let approve): self.approve(approve, request)
    case .disable(let disable): decide(disable.extension, .disabled, request)
    case .reset(let reset): decide(reset.extension, .reset, request)
    case .listPublishers:
      reply(request, AdminInterface.ListPublishers.Reply(publishers: publisherRows))
    case .revokePublisher(let revoke): self.revoke(revoke.fingerprint, request)
    case .pin(let pin): self.pin(pin.path, request)
    case .unpin(let unpin): self.unpin(unpin.extension, request)
    case .exportDecisions: exportDecisions(request)
    case .importDecisions(let decisions): importDecisions(decisions, request)
    case .forget(let forget): self.forget(forget.extension, request)
    case .history(let history): effects.append(.readHistory(request, identifier: history.extension))
    case .listExtensionPoints:
      reply(request, AdminInterface.ListExtensionPoints.Reply(extensionPoints: pointRows))
    case .listHosts: reply(request, AdminInterface.ListHosts.Reply(hosts: hostRows))
    case .listInstances: reply(request, AdminInterface.ListInstances.Reply(instances: instanceRows))
    case .inspect(let inspect):
      guard instances[inspect.instance]?.isWithLauncher == true else {
        return fail(request, AdminInterface.InstanceNotFound(target: inspect.instance))
      }
      effects.append(.inspect(request, instance: inspect.instance))
    case .measureInstances:
      let processes = instances.values.compactMap { instance in
        instance.processID.map { (id: instance.id, processID: $0) }
      }
      effects.append(.measure(request, processes))
    case .listActivations: reply(request, AdminInterface.ListActivations.Reply(activations: activationRows))
    case .explain(let explain): self.explain(explain, request)
    case .stop(let stop): handleStop(stop.target, request)
    case .rescan(let rescan):
      let serial = unique()
      effects.append(.scanAll(serial))
      if rescan.wait ?? false {
        rescans.append((request, serial))
      } else {
        reply(request, AdminInterface.Rescan.Reply())
      }
    case .watch:
      guard more else { return fail(request, ServiceInterface.ExpectedMore()) }
      watch(WatchStream(request: request, kind: .everything, sequence: 1))
      reply(
        request,
        AdminInterface.Watch.Reply(sequence: 1, time: Int(now.wall), event: "watching", message: "watching"),
        continues: true)
    case .logs(let logs): self.logs(logs.extension, request, more: more)
    case .develop(let develop): self.develop(develop, request, more: more)
    case .status: reply(request, status)
    }
  }

  // MARK: Decisions

  private mutating func approve(_ call: AdminInterface.Approve, _ request: RequestID) {
    guard let facts = subject(call.extension, request) else { return }
    guard let identifier = facts.identifier, let digest = facts.digest,
      let entry = catalog.entries[facts.path]
    else {
      return fail(
        request,
        AdminInterface.NotApprovable(
          extension: call.extension, message: "it has no identifier that can be read"))
    }
    guard !facts.isDeveloped else {
      return fail(
        request,
        AdminInterface.NotApprovable(
          extension: identifier,
          message: "it is a developer's and needs no approval; 'extctl install' makes it one that does"))
    }
    let entitlements = catalog.withContents(facts).entitlements
    guard digest == call.digest, entitlements == call.entitlements.sorted() else {
      return fail(
        request, AdminInterface.Changed(extension: identifier, digest: digest, entitlements: entitlements))
    }
    if let publisher = call.publisher, publisher != facts.publisher {
      return fail(
        request, AdminInterface.PublisherChanged(extension: identifier, publisher: facts.publisher))
    }
    switch entry.state {
    case .invalid, .incompatible, .blocked, .nearMiss:
      return fail(request, AdminInterface.NotApprovable(extension: identifier, message: entry.explanation))
    case .unapproved, .changed, .disabled:
      // The decision is the host's. Only one that the person disabled by itself has something to take back.
      if catalog.ownHost(of: facts) != nil, catalog.decisions[identifier]?.verdict != .disabled {
        return fail(request, AdminInterface.NotApprovable(extension: identifier, message: entry.explanation))
      }
    case .shadowed, .enabled: break
    }
    store(facts, identifier, .enabled, publisher: call.publisher, request)
  }

  private mutating func decide(_ name: String, _ verdict: Decision.Verdict, _ request: RequestID) {
    if verdict == .reset, Decision.isFingerprint(name), catalog.decisions[name] == nil {
      return fail(request, AdminInterface.PublisherNotFound(fingerprint: name))
    }
    // A decision can be taken back for something that is no longer there.
    if catalog.matching(name).isEmpty, catalog.decisions[name] != nil {
      let decision = Decision(
        identifier: name, verdict: verdict, digest: nil, entitlements: [], rootOwned: false, time: now.wall,
        peer: describePeer(request))
      effects.append(.storeDecision(request, decision))
      return
    }
    guard let facts = subject(name, request) else { return }
    guard let identifier = facts.identifier else {
      return fail(
        request,
        AdminInterface.NotApprovable(extension: name, message: "it has no identifier that can be read"))
    }
    store(facts, identifier, verdict, request)
  }

  private mutating func store(
    _ facts: BundleFacts, _ identifier: String, _ verdict: Decision.Verdict, publisher: String? = nil,
    _ request: RequestID
  ) {
    let decision = Decision(
      identifier: identifier, verdict: verdict, digest: facts.digest,
      entitlements: catalog.withContents(facts).entitlements, rootOwned: facts.rootOwned,
      publisher: publisher, version: facts.version, time: now.wall, peer: describePeer(request))
    effects.append(.storeDecision(request, decision))
  }

  /// The one bundle that is meant, or a failed request.
  mutating func subject(_ name: String, _ request: RequestID) -> BundleFacts? {
    let found = catalog.matching(name).filter { $0.kind != .pointFile }
    if found.isEmpty {
      fail(request, AdminInterface.ExtensionNotFound(extension: name))
      return nil
    }
    if found.count == 1 { return found[0] }
    if let winner = catalog.winner(name) { return winner }
    fail(request, AdminInterface.Ambiguous(extension: name, paths: found.map(\.path)))
    return nil
  }

  func describePeer(_ request: RequestID) -> String {
    guard let peer = sessions[request.peer]?.peer else { return "unknown" }
    return "\(peer.executable ?? "unknown program") (process \(peer.process.processID))"
  }

  // MARK: Logs

  private mutating func logs(_ name: String, _ request: RequestID, more: Bool) {
    guard let identifier = catalog.matching(name).first?.identifier ?? (logs[name] != nil ? name : nil) else {
      return fail(request, AdminInterface.ExtensionNotFound(extension: name))
    }
    reply(request, AdminInterface.Logs.Reply(lines: logs[identifier] ?? []), continues: more)
    if more { watch(WatchStream(request: request, kind: .logs(identifier))) }
  }
}
