internal import ExtensionInterfaces
internal import Varlink

// What changes when files or decisions do.

extension Broker {
  mutating func applyBundles(found: [BundleFacts], removed: [String]) {
    let points = pointsBefore(found.map(\.path) + removed)
    let affected = catalog.apply(found: found, removed: removed)
    for facts in found where facts.kind == .appExtension && notes(.debug) {
      note(
        .debug, "bundle.found", facts.identifier,
        "\(facts.path): \(catalog.entries[facts.path]?.state.rawValue ?? "")")
    }
    afterChange(affected, points: points)
    checkReread(found)
  }

  /// The points that the bundles at these paths fill or define, so that their hosts hear of it when they no longer do.
  private func pointsBefore(_ paths: [String]) -> Set<String> {
    var points: Set<String> = []
    for path in paths {
      guard let facts = catalog.bundles[path] else { continue }
      if let point = facts.extensionPoint { points.insert(point) }
      points.formUnion(facts.points.lazy.map(\.identifier))
    }
    return points
  }

  private mutating func afterChange(_ identifiers: Set<String>, points before: Set<String>) {
    var points = before
    for identifier in identifiers {
      for path in catalog.paths(of: identifier) {
        guard let facts = catalog.bundles[path] else { continue }
        if let point = facts.extensionPoint { points.insert(point) }
        points.formUnion(facts.points.lazy.map(\.identifier))
        effects.append(.watchContent(path: path, catalog.entries[path]?.state == .enabled))
      }
    }
    stopWhatMayNotRun(identifiers)
    if knowsBundles {
      for identifier in identifiers {
        if let decision = catalog.renewed(identifier, time: now.wall) {
          effects.append(.storeDecision(nil, decision))
        }
      }
    }
    considerAnnouncing(identifiers)
    if !points.isEmpty { tellChanges(identifiers, points: points) }
    tellDevelopers()
  }

  /// Disabled and removed extensions are stopped. Changed and updated ones run on for the hosts that use them.
  /// Before decisions and bundles are known nothing is: what runs was allowed, and is looked at again then.
  private mutating func stopWhatMayNotRun(_ identifiers: Set<String>) {
    guard knowsBundles else { return }
    for (id, instance) in instances where identifiers.contains(instance.identifier) && !instance.isStopping {
      // Its own state: another copy that is used now does not hide what was decided.
      guard let entry = catalog.ownEntry(instance.path) else {
        // It may be there still.
        if unreadRoots.contains(where: { instance.path.hasPrefix($0 + "/") }) { continue }
        stop(id, Reason(kind: .removed))
        continue
      }
      switch entry.state {
      case .disabled: stop(id, Reason(kind: .disabled))
      case .blocked: stop(id, Reason(kind: .policy, rule: entry.rule))
      case .unapproved where !instance.isWithLauncher: stop(id, Reason(kind: .changed))
      case .unapproved where catalog.bundles[instance.path]?.digest == instance.digest:
        // The decision was taken back.
        stop(id, Reason(kind: .disabled))
      default: break
      }
    }
  }

  mutating func loadPolicy(_ policy: Policy) {
    for problem in policy.problems where !catalog.policy.problems.contains(problem) {
      note(.error, "policy.broken", nil, problem)
    }
    let points = pointsBefore(Array(catalog.bundles.keys))
    afterChange(catalog.apply(policy), points: points)
  }

  mutating func loadDecisions(_ decisions: [Decision]) {
    var points: Set<String> = []
    var affected: Set<String> = []
    for decision in decisions {
      points.formUnion(pointsBefore(catalog.matching(decision.identifier).map(\.path)))
      affected.formUnion(catalog.apply(decision))
    }
    afterChange(affected, points: points)
  }

  /// What was taken back from the launcher may have been disabled, removed or changed while no broker was there.
  mutating func stopWhatMayNotRun() { stopWhatMayNotRun(Set(instances.values.map(\.identifier))) }

  mutating func applyDecision(_ decision: Decision, _ request: RequestID?) {
    take(decision)
    if let request { reply(request, decision.reply) }
  }

  /// A decision that is on the disk holds from now on.
  mutating func take(_ decision: Decision) {
    let affected = catalog.apply(decision)
    let points = pointsBefore(affected.flatMap { catalog.matching($0) }.map(\.path))
    if decision.verdict == .reset {
      for facts in catalog.matching(decision.identifier) {
        if let digest = facts.digest { crashes[digest] = nil }
      }
    }
    note(
      .notice, "decision.\(decision.verdict.rawValue)", decision.identifier,
      "\(decision.identifier) is \(decision.verdict == .reset ? "undecided" : decision.verdict.rawValue) now, by \(decision.peer)"
    )
    afterChange(affected, points: points)
  }

  mutating func replyHistory(_ request: RequestID, _ decisions: [Decision]) {
    reply(request, AdminInterface.History.Reply(decisions: decisions.map(AdminInterface.Decision.init)))
  }
}

extension Decision {
  /// The answer to the call that brought it.
  fileprivate var reply: any VarlinkStructure {
    switch verdict {
    case .enabled: AdminInterface.Approve.Reply()
    case .disabled: AdminInterface.Disable.Reply()
    case .revoked: AdminInterface.RevokePublisher.Reply()
    case .pinned: AdminInterface.Pin.Reply()
    case .reset where identifier != concernedIdentifier: AdminInterface.Unpin.Reply()
    case .reset: AdminInterface.Reset.Reply()
    }
  }
}
