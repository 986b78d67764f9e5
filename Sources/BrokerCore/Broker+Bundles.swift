internal import ExtensionInterfaces

// What changes when files or decisions do.

extension Broker {
  mutating func applyBundles(found: [BundleFacts], removed: [String]) {
    let points = pointsBefore(found.map(\.path) + removed)
    let affected = catalog.apply(found: found, removed: removed)
    for facts in found where facts.kind == .appExtension {
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
      points.formUnion(facts.points.map(\.identifier))
    }
    return points
  }

  private mutating func afterChange(_ identifiers: Set<String>, points before: Set<String>) {
    var points = before
    for identifier in identifiers {
      for facts in catalog.matching(identifier) {
        if let point = facts.extensionPoint { points.insert(point) }
        points.formUnion(facts.points.map(\.identifier))
        effects.append(.watchContent(path: facts.path, catalog.entries[facts.path]?.state == .enabled))
      }
    }
    stopWhatMayNotRun(identifiers)
    if !points.isEmpty { tellChanges(identifiers, points: points) }
    tellDevelopers()
  }

  /// Disabled and removed extensions are stopped. Changed and updated ones run on for the hosts that use them.
  /// Before decisions and bundles are known nothing is: what runs was allowed, and is looked at again then.
  private mutating func stopWhatMayNotRun(_ identifiers: Set<String>) {
    guard knowsBundles else { return }
    for (id, instance) in instances where identifiers.contains(instance.identifier) && !instance.isStopping {
      // Its own state: another copy that is used now does not hide what was decided.
      guard let state = catalog.ownState(instance.path) else {
        stop(id, Reason(kind: .removed))
        continue
      }
      switch state {
      case .disabled: stop(id, Reason(kind: .disabled))
      case .unapproved where !instance.isWithLauncher: stop(id, Reason(kind: .changed))
      case .unapproved where catalog.bundles[instance.path]?.digest == instance.digest:
        // The decision was taken back.
        stop(id, Reason(kind: .disabled))
      default: break
      }
    }
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

  mutating func applyDecision(_ decision: Decision, _ request: RequestID) {
    let points = pointsBefore(catalog.matching(decision.identifier).map(\.path))
    let affected = catalog.apply(decision)
    if decision.verdict == .reset {
      for facts in catalog.matching(decision.identifier) {
        if let digest = facts.digest { crashes[digest] = nil }
      }
    }
    note(
      .notice, "decision.\(decision.verdict.rawValue)", decision.identifier,
      "\(decision.identifier) is \(decision.verdict == .reset ? "undecided" : decision.verdict.rawValue) now, by \(decision.peer)"
    )
    switch decision.verdict {
    case .enabled: reply(request, AdminInterface.Approve.Reply())
    case .disabled: reply(request, AdminInterface.Disable.Reply())
    case .reset: reply(request, AdminInterface.Reset.Reply())
    }
    afterChange(affected, points: points)
  }

  mutating func replyHistory(_ request: RequestID, _ decisions: [Decision]) {
    let rows = decisions.map { decision in
      AdminInterface.Decision(
        identifier: decision.identifier, decision: .init(rawValue: decision.verdict.rawValue) ?? .reset,
        time: Int(decision.time), digest: decision.digest, entitlements: decision.entitlements,
        peer: decision.peer)
    }
    reply(request, AdminInterface.History.Reply(decisions: rows))
  }
}
