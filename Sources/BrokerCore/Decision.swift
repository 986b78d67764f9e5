/// What the person decided about one identifier, and about what exactly.
public struct Decision: Hashable, Sendable {
  public enum Verdict: String, Hashable, Sendable {
    case enabled, disabled, reset
  }

  public var identifier: String
  public var verdict: Verdict
  /// The content that was shown.
  public var digest: String?
  /// The entitlements that were shown.
  public var entitlements: [String]
  /// The bundle could be written by root alone.
  public var rootOwned: Bool
  /// Milliseconds since 1970.
  public var time: Int64
  /// Who asked.
  public var peer: String

  public init(
    identifier: String, verdict: Verdict, digest: String?, entitlements: [String], rootOwned: Bool,
    time: Int64,
    peer: String
  ) {
    self.identifier = identifier
    self.verdict = verdict
    self.digest = digest
    self.entitlements = entitlements
    self.rootOwned = rootOwned
    self.time = time
    self.peer = peer
  }
}
