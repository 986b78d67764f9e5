internal import ExtensionBundles

/// What was found out about signatures, here and in the digest cache. For the worker's thread alone.
final class SignatureVerdicts: SignatureCache {
  /// nil where it cannot be used; each broker then verifies anew.
  var kept: DigestCache?
  /// Since everything was read last, and before.
  private var recent: [BundleDigest: Bool] = [:]
  private var earlier: [BundleDigest: Bool] = [:]
  /// Whoever signs one bundle again and again makes one more each time.
  private static let limit = 20_000

  func verdict(of key: BundleDigest) -> Bool? {
    guard let isGood = recent[key] ?? earlier[key] ?? kept?.verdict(of: key) else { return nil }
    recent[key] = isGood
    return isGood
  }

  func keep(_ isGood: Bool, of key: BundleDigest) {
    if recent.count >= Self.limit { prune() }
    recent[key] = isGood
    kept?.keep(isGood, of: key)
  }

  /// Everything was read: what nobody asked for since the last time is of no use.
  func prune() {
    kept?.keepOnlyVerdicts { recent[$0] != nil }
    earlier = recent
    recent = [:]
  }
}
