internal import ExtensionInterfaces

// Keys and pins: decisions that are not about one bundle's content.

extension Broker {
  /// 'SHA256:' and a hash in Base64 without its padding, as ssh-keygen(1) prints it.
  private func isWhole(_ fingerprint: String) -> Bool {
    Decision.isFingerprint(fingerprint) && fingerprint.utf8.count == 50
      && fingerprint.utf8.dropFirst(7).allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }

  /// A key can be revoked before anything that it signed is here.
  mutating func revoke(_ fingerprint: String, _ request: RequestID) {
    guard isWhole(fingerprint) else {
      return fail(request, AdminInterface.PublisherNotFound(fingerprint: fingerprint))
    }
    let decision = Decision(
      identifier: fingerprint, verdict: .revoked, digest: nil, entitlements: [], rootOwned: false,
      time: now.wall, peer: describePeer(request))
    effects.append(.storeDecision(request, decision))
  }

  mutating func pin(_ path: String, _ request: RequestID) {
    guard let facts = catalog.bundles[path], facts.kind == .appExtension, let identifier = facts.identifier,
      !facts.isDeveloped
    else { return fail(request, AdminInterface.ExtensionNotFound(extension: path)) }
    storePin(identifier, .pinned, path: path, request)
  }

  mutating func unpin(_ identifier: String, _ request: RequestID) {
    guard catalog.pin(identifier) != nil else {
      return fail(request, AdminInterface.ExtensionNotFound(extension: identifier))
    }
    storePin(identifier, .reset, path: nil, request)
  }

  private mutating func storePin(
    _ identifier: String, _ verdict: Decision.Verdict, path: String?, _ request: RequestID
  ) {
    let decision = Decision(
      identifier: Decision.pinPrefix + identifier, verdict: verdict, digest: nil, entitlements: [],
      rootOwned: false, path: path, time: now.wall, peer: describePeer(request))
    effects.append(.storeDecision(request, decision))
  }

  var publisherRows: [AdminInterface.Publisher] {
    var signed: [String: Set<String>] = [:]
    var approved: [String: Set<String>] = [:]
    for facts in catalog.bundles.values {
      if let key = facts.publisher, let identifier = facts.identifier {
        signed[key, default: []].insert(identifier)
      }
    }
    for decision in catalog.decisions.values where decision.verdict == .enabled {
      if let key = decision.publisher { approved[key, default: []].insert(decision.identifier) }
    }
    let revoked = Set(catalog.decisions.values.filter { $0.verdict == .revoked }.map(\.identifier))
    return Set(signed.keys).union(approved.keys).union(revoked).sorted().map { key in
      AdminInterface.Publisher(
        fingerprint: key, revoked: revoked.contains(key), extensions: (signed[key] ?? []).sorted(),
        approved: (approved[key] ?? []).sorted())
    }
  }
}
