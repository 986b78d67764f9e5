internal import ExtensionInterfaces

// Decisions that leave for another machine, come from one, or are not needed any more.

extension Broker {
  /// The most decisions in one import.
  private static let importLimit = 10_000

  mutating func exportDecisions(_ request: RequestID) {
    let decisions = catalog.decisions.values.sorted { $0.identifier < $1.identifier }
    reply(
      request, AdminInterface.ExportDecisions.Reply(decisions: decisions.map(AdminInterface.Decision.init)))
  }

  /// Stores all of them, or none. What was decided here stays, unless it is to be replaced.
  mutating func importDecisions(_ call: AdminInterface.ImportDecisions, _ request: RequestID) {
    guard call.decisions.count <= Self.importLimit else {
      return fail(
        request,
        AdminInterface.InvalidDecision(
          identifier: "", message: "there are more than \(Self.importLimit) decisions; import them in parts"))
    }
    let peer = "import, by \(describePeer(request))"
    var decisions: [Decision] = []
    for row in call.decisions {
      guard let decision = Decision(row, time: now.wall, peer: peer) else {
        return fail(
          request,
          AdminInterface.InvalidDecision(
            identifier: String(row.identifier.prefix(255)),
            message: "it is none that 'extctl export' writes; nothing was imported"))
      }
      if call.replace == true || catalog.decisions[decision.identifier] == nil { decisions.append(decision) }
    }
    if decisions.isEmpty { return reply(request, AdminInterface.ImportDecisions.Reply(imported: 0)) }
    effects.append(.importDecisions(request, decisions))
  }

  mutating func decisionsImported(_ request: RequestID, _ decisions: [Decision]) {
    for decision in decisions { take(decision) }
    reply(request, AdminInterface.ImportDecisions.Reply(imported: decisions.count))
  }

  // MARK: Forgetting

  /// The decisions about something that is gone, and what it has stored.
  mutating func forget(_ identifier: String, _ request: RequestID) {
    guard isGone(identifier) else { return refuseToForget(identifier, request) }
    guard BundleIdentifier.isValid(identifier) else {
      return fail(request, AdminInterface.ExtensionNotFound(extension: identifier))
    }
    effects.append(.removeContainer(request, identifier, by: describePeer(request)))
  }

  private func isGone(_ identifier: String) -> Bool {
    catalog.matching(identifier).isEmpty && !instances.values.contains { $0.identifier == identifier }
  }

  private mutating func refuseToForget(_ identifier: String, _ request: RequestID) {
    let paths = catalog.matching(identifier).map(\.path)
    fail(request, AdminInterface.StillThere(extension: identifier, paths: paths))
  }

  /// That took a while, in which it may have come back, and been decided about.
  mutating func containerRemoved(_ request: RequestID?, _ identifier: String, by peer: String) {
    guard isGone(identifier) else {
      if let request { refuseToForget(identifier, request) }
      return
    }
    effects.append(.forgetExtension(request, identifier, resets(identifier, by: peer)))
  }

  /// Nobody has seen these for longer than what they left is kept.
  mutating func expire(_ identifiers: [String]) {
    for identifier in identifiers where BundleIdentifier.isValid(identifier) && isGone(identifier) {
      effects.append(.removeContainer(nil, identifier, by: "extensiond, since it was gone for long"))
    }
  }

  mutating func forgotten(_ request: RequestID?, _ identifier: String, _ decisions: [Decision]) {
    for decision in decisions { take(decision) }
    logs[identifier] = nil
    reports[identifier] = nil
    attempts[identifier] = nil
    handshakes[identifier] = nil
    note(
      .notice, "extension.forgotten", identifier,
      "what \(identifier) stored, and what was decided about it, is gone")
    if let request { reply(request, AdminInterface.Forget.Reply()) }
  }

  private func resets(_ identifier: String, by peer: String) -> [Decision] {
    [identifier, Decision.pinPrefix + identifier].filter { catalog.decisions[$0] != nil }.map { subject in
      Decision(
        identifier: subject, verdict: .reset, digest: nil, entitlements: [], rootOwned: false, time: now.wall,
        peer: peer)
    }
  }

  /// Everything that is there or was decided about, when all roots were read: what else is stored is nobody's.
  var presentIdentifiers: Set<String> {
    Set(catalog.bundles.values.compactMap(\.identifier)).union(instances.values.map(\.identifier))
  }
}

extension AdminInterface.Decision {
  init(_ decision: BrokerCore.Decision) {
    self.init(
      identifier: decision.identifier, decision: .init(rawValue: decision.verdict.rawValue) ?? .reset,
      time: Int(decision.time), digest: decision.digest, entitlements: decision.entitlements,
      peer: decision.peer, publisher: decision.publisher, version: decision.version, path: decision.path,
      rootOwned: decision.rootOwned)
  }
}

extension Decision {
  private static let textLimit = 4096

  /// One from elsewhere; nil for what no broker would have written.
  init?(_ row: AdminInterface.Decision, time: Int64, peer: String) {
    let texts = [row.identifier, row.digest ?? "", row.publisher ?? "", row.version ?? "", row.path ?? ""]
    guard let verdict = Verdict(rawValue: row.decision.rawValue),
      (texts + row.entitlements).allSatisfy({
        $0.utf8.count <= Self.textLimit && !$0.utf8.contains { $0 < 32 }
      }),
      row.entitlements.count <= 256, row.publisher.map(Self.isFingerprint) ?? true
    else { return nil }
    self.init(
      identifier: row.identifier, verdict: verdict, digest: row.digest,
      entitlements: row.entitlements.sorted(),
      rootOwned: row.rootOwned ?? false, publisher: row.publisher, version: row.version, path: row.path,
      time: time, peer: peer)
    let isSound =
      switch verdict {
      case .enabled: BundleIdentifier.isValid(identifier) && digest != nil
      case .disabled: BundleIdentifier.isValid(identifier)
      case .revoked: Self.isFingerprint(identifier)
      case .pinned: identifier != concernedIdentifier && path?.hasPrefix("/") == true
      case .reset: false
      }
    if !isSound { return nil }
  }
}
