/// What the policy says about one bundle.
struct PolicyRuling: Hashable, Sendable {
  enum Verdict: Hashable, Sendable {
    /// The person decides.
    case none
    case approved(rule: String)
    /// `why`: what the policy does, to continue "the policy …".
    case blocked(rule: String, why: String)
  }

  var verdict = Verdict.none
  /// The rule that asks for it.
  var requiresVerifiedHost: String?
  var allowsNoSandbox: String?
  var bounds = ResourceBounds()

  /// Where there is no rule.
  init() {}

  /// `publisher`: the key that signed the bundle, or the application around it.
  init(_ policy: Policy, on facts: BundleFacts, publisher: String?) {
    var isRuled = false
    for rule in policy.rules where rule.match.fits(facts, publisher: publisher) {
      switch rule.action {
      case .broken: block(rule, "could not be read there, so what it names is kept from running")
      case .block where !isRuled:
        isRuled = true
        block(rule, "blocks it")
      case .approve(let entitlements) where !isRuled:
        guard rule.isTrustworthy(for: facts),
          facts.entitlements.allSatisfy({ Pattern.anyFits(entitlements, $0) })
        else { continue }
        isRuled = true
        if case .none = verdict { verdict = .approved(rule: rule.source) }
      case .block, .approve: break
      case .restrict(let restrictions): apply(restrictions, rule, facts, publisher)
      }
    }
  }

  private mutating func apply(
    _ restrictions: PolicyRule.Restrictions, _ rule: PolicyRule, _ facts: BundleFacts, _ publisher: String?
  ) {
    if let entitlement = facts.entitlements.first(where: {
      Pattern.anyFits(restrictions.forbiddenEntitlements, $0)
    }) {
      block(rule, "forbids the entitlement \(entitlement)")
    }
    if restrictions.requiresSignature, publisher == nil { block(rule, "requires a signature") }
    if restrictions.forbidsDevelopment, facts.isDeveloped { block(rule, "forbids developers' bundles") }
    if restrictions.requiresVerifiedHost { requiresVerifiedHost = requiresVerifiedHost ?? rule.source }
    if restrictions.allowsNoSandbox { allowsNoSandbox = allowsNoSandbox ?? rule.source }
    bounds = bounds.capped(by: restrictions.bounds)
  }

  private mutating func block(_ rule: PolicyRule, _ why: String) {
    if case .blocked = verdict { return }
    verdict = .blocked(rule: rule.source, why: why)
  }
}

extension PolicyRule {
  /// Anybody can put any identifier into a bundle of their own. So a rule enables only what root alone can write, or what
  /// a key that it names has signed.
  fileprivate func isTrustworthy(for facts: BundleFacts) -> Bool {
    facts.rootOwned || !match.publishers.isEmpty
  }
}

extension PolicyRule.Match {
  fileprivate func fits(_ facts: BundleFacts, publisher: String?) -> Bool {
    func fits(_ patterns: [String], _ texts: [String]) -> Bool {
      patterns.isEmpty || texts.contains { Pattern.anyFits(patterns, $0) }
    }
    return fits(identifiers, facts.identifier.map { [$0] } ?? [])
      && fits(publishers, publisher.map { [$0] } ?? [])
      && fits(points, [facts.extensionPoint].compactMap(\.self) + facts.points.map(\.identifier))
      && fits(paths, [facts.path])
  }
}
