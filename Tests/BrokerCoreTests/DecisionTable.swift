import ExtensionInterfaces

@testable import BrokerCore

/// What an extension is, for each combination of what was decided, what is there now and what the policy says.
/// docs/decisions.md shows these rows; DecisionTableTests holds the broker to them.
struct DecisionRow: Sendable, CustomStringConvertible {
  enum Decided: String, Sendable {
    case nothing
    case approved
    /// With the key that signed it.
    case withPublisher = "approved with publisher"
    case disabled
  }

  enum Content: String, Sendable {
    case same, changed
    /// Changed, and its version is lower.
    case older = "changed to an older version"
  }

  enum Signature: String, Sendable {
    case none
    case same = "the publisher's"
    case other = "another key's"
    case revoked = "a revoked key's"
  }

  enum Asks: String, Sendable {
    case nothing
    case same = "what was approved"
    case more = "more than was approved"
    case less = "less than was approved"
  }

  enum Rules: String, Sendable {
    case none
    case block
    case approve
    case approvePublisher = "approve the publisher"
    case approveAll = "approve with every entitlement"
    case forbid = "forbid the entitlement"
    case requireSignature = "require a signature"
    case broken = "a rule that cannot be read"
  }

  let decided: Decided
  let content: Content
  let isRoots: Bool
  let signature: Signature
  let asks: Asks
  let rules: Rules
  let state: CatalogEntry.State

  init(
    _ decided: Decided, now content: Content = .same, root: Bool = false, signed signature: Signature = .none,
    asks: Asks = .nothing, policy rules: Rules = .none, _ state: CatalogEntry.State
  ) {
    (self.decided, self.content, isRoots, self.signature) = (decided, content, root, signature)
    (self.asks, self.rules, self.state) = (asks, rules, state)
  }

  var cells: [String] {
    [
      decided.rawValue, content.rawValue, isRoots ? "root alone" : "the person", signature.rawValue,
      asks.rawValue, rules.rawValue, state.rawValue,
    ]
  }

  var description: String { cells.joined(separator: ", ") }

  static let all: [DecisionRow] = [
    // Nobody has decided.
    .init(.nothing, .unapproved),
    .init(.nothing, root: true, .unapproved),
    .init(.nothing, signed: .same, .unapproved),
    .init(.nothing, asks: .more, .unapproved),
    .init(.nothing, policy: .block, .blocked),
    // A rule that names only what anybody can write does not enable what anybody can write.
    .init(.nothing, policy: .approve, .unapproved),
    .init(.nothing, root: true, policy: .approve, .enabled),
    .init(.nothing, root: true, asks: .more, policy: .approve, .unapproved),
    .init(.nothing, root: true, asks: .more, policy: .approveAll, .enabled),
    .init(.nothing, signed: .same, policy: .approvePublisher, .enabled),
    .init(.nothing, signed: .same, asks: .more, policy: .approvePublisher, .unapproved),
    .init(.nothing, signed: .other, policy: .approvePublisher, .unapproved),
    .init(.nothing, signed: .revoked, policy: .approveAll, .blocked),
    .init(.nothing, policy: .requireSignature, .blocked),
    .init(.nothing, signed: .same, policy: .requireSignature, .unapproved),
    .init(.nothing, policy: .broken, .blocked),
    // The person approved it.
    .init(.approved, .enabled),
    .init(.approved, asks: .same, .enabled),
    .init(.approved, now: .changed, .changed),
    .init(.approved, now: .changed, asks: .less, .changed),
    .init(.approved, now: .changed, asks: .more, .changed),
    .init(.approved, root: true, .enabled),
    .init(.approved, now: .changed, root: true, .enabled),
    .init(.approved, now: .older, root: true, .enabled),
    .init(.approved, now: .changed, root: true, asks: .same, .enabled),
    .init(.approved, now: .changed, root: true, asks: .less, .enabled),
    .init(.approved, now: .changed, root: true, asks: .more, .changed),
    .init(.approved, signed: .same, .enabled),
    .init(.approved, now: .changed, signed: .same, .changed),
    .init(.approved, signed: .revoked, .blocked),
    .init(.approved, policy: .block, .blocked),
    .init(.approved, now: .changed, policy: .approve, .changed),
    .init(.approved, now: .changed, root: true, asks: .more, policy: .approveAll, .enabled),
    .init(.approved, asks: .same, policy: .forbid, .blocked),
    .init(.approved, policy: .forbid, .enabled),
    .init(.approved, policy: .requireSignature, .blocked),
    .init(.approved, signed: .other, policy: .requireSignature, .enabled),
    .init(.approved, policy: .broken, .blocked),
    // The person approved it with its publisher.
    .init(.withPublisher, signed: .same, .enabled),
    .init(.withPublisher, now: .changed, signed: .same, .enabled),
    .init(.withPublisher, now: .changed, signed: .same, asks: .same, .enabled),
    .init(.withPublisher, now: .changed, signed: .same, asks: .less, .enabled),
    .init(.withPublisher, now: .changed, signed: .same, asks: .more, .changed),
    .init(.withPublisher, now: .older, signed: .same, .changed),
    .init(.withPublisher, now: .changed, signed: .other, .changed),
    .init(.withPublisher, now: .changed, .changed),
    .init(.withPublisher, now: .changed, signed: .revoked, .blocked),
    .init(.withPublisher, now: .changed, signed: .same, policy: .block, .blocked),
    .init(.withPublisher, now: .changed, signed: .same, asks: .same, policy: .forbid, .blocked),
    // The person disabled it. Nothing enables it again but the person.
    .init(.disabled, .disabled),
    .init(.disabled, now: .changed, .disabled),
    .init(.disabled, root: true, .disabled),
    .init(.disabled, now: .changed, signed: .same, policy: .approvePublisher, .disabled),
    .init(.disabled, root: true, policy: .approve, .disabled),
    .init(.disabled, policy: .block, .blocked),
  ]

  /// The rows as docs/decisions.md has them.
  static var table: String {
    let head = ["decision", "content", "written by", "signature", "asks for", "policy", "state"]
    return ([head, head.map { _ in "---" }] + all.map(\.cells)).map {
      "| " + $0.joined(separator: " | ") + " |\n"
    }
    .joined()
  }
}
