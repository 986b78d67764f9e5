internal import ExtensionInterfaces

// Whom a bundle comes from, what it asks for, and what the policy says about it.

extension Catalog {
  /// What the person sees of a bundle, and decides about: an application asks for what its own extensions ask for.
  func withContents(_ facts: BundleFacts) -> BundleFacts {
    guard facts.kind == .application else { return facts }
    var whole = facts
    let asked = askingContents(of: facts.path).filter { ownHost(of: $0)?.path == facts.path }.map(
      \.entitlements)
    whole.entitlements = Set(asked.joined()).union(facts.entitlements).sorted()
    return whole
  }

  /// The key that signed a bundle, or the application around it: the digest of that one covers it.
  func publisher(of facts: BundleFacts) -> String? {
    facts.publisher ?? facts.containingPath.flatMap { bundles[$0]?.publisher }
  }

  func ruling(_ facts: BundleFacts) -> PolicyRuling {
    if policy.rules.isEmpty { return PolicyRuling() }
    return PolicyRuling(policy, on: facts, publisher: publisher(of: facts))
  }

  /// The bundle's own key, or that of what is around it, was revoked.
  func isRevoked(_ facts: BundleFacts) -> Bool {
    if decisions.isEmpty { return false }
    let keys = [facts.publisher, facts.containingPath.flatMap { bundles[$0]?.publisher }]
    return keys.contains { key in key.flatMap { decisions[$0] }?.verdict == .revoked }
  }

  /// The path of the copy that the person wants used.
  func pin(_ identifier: String) -> String? {
    decisions.isEmpty ? nil : decisions[Decision.pinPrefix + identifier]?.path
  }

  /// A decision that holds for what its publisher has made of a bundle since, so that a step back is noticed later.
  func renewed(_ identifier: String, time: Int64) -> Decision? {
    guard let facts = winner(identifier), entry(identifier)?.state == .enabled,
      var decision = decisions[identifier], decision.verdict == .enabled, decision.digest != facts.digest,
      ownHost(of: facts) == nil, decision.approvesUpdate(facts)
    else { return nil }
    decision.digest = facts.digest
    decision.version = facts.version
    decision.time = time
    decision.peer = "an update signed by \(decision.publisher ?? "")"
    return decision
  }
}

extension Decision {
  static let pinPrefix = "pin:"

  /// Fingerprints have a colon, identifiers have not.
  static func isFingerprint(_ text: String) -> Bool { text.hasPrefix("SHA256:") }

  var isAboutPublisher: Bool { Self.isFingerprint(identifier) }

  var concernedIdentifier: String {
    identifier.hasPrefix(Self.pinPrefix) ? String(identifier.dropFirst(Self.pinPrefix.count)) : identifier
  }
}
