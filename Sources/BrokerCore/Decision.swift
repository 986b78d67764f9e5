/// What the person decided about one subject, and about what exactly.
///
/// The subject is the identifier of a bundle; or the fingerprint of a key, which can be revoked; or `pin:` and an
/// identifier, for the copy that is to be used.
public struct Decision: Hashable, Sendable {
  public enum Verdict: String, Hashable, Sendable {
    case enabled, disabled, reset, revoked, pinned
  }

  public var identifier: String
  public var verdict: Verdict
  /// The content that was shown.
  public var digest: String?
  /// The entitlements that were shown.
  public var entitlements: [String]
  /// The bundle could be written by root alone.
  public var rootOwned: Bool
  /// The key whose updates of it are approved as well; nil where only this content is.
  public var publisher: String?
  /// Updates by that key may not go back before this one.
  public var version: String?
  /// The copy that is pinned.
  public var path: String?
  /// Milliseconds since 1970.
  public var time: Int64
  /// Who asked.
  public var peer: String

  public init(
    identifier: String, verdict: Verdict, digest: String?, entitlements: [String], rootOwned: Bool,
    publisher: String? = nil, version: String? = nil, path: String? = nil, time: Int64, peer: String
  ) {
    self.identifier = identifier
    self.verdict = verdict
    self.digest = digest
    self.entitlements = entitlements
    self.rootOwned = rootOwned
    self.publisher = publisher
    self.version = version
    self.path = path
    self.time = time
    self.peer = peer
  }
}
