public import ExtensionInterfaces

/// What a bundle is to the broker, decided from its facts and the person's decisions.
public struct CatalogEntry: Hashable, Sendable {
  public typealias State = AdminInterface.Extension.State

  // There are as many as bundles, so these two stand close together, and what few have is elsewhere.
  private let why: Why
  public let state: State

  private enum Why: Hashable {
    case text(String)
    /// For its approval; its name. Tens of thousands may wait, and the name is there anyway.
    case waits(String)
    indirect case blocked(explanation: String, rule: String)
  }

  /// One sentence: why, and what to do.
  public var explanation: String {
    switch why {
    case .text(let text), .blocked(let text, _): text
    case .waits(let name): "waits for approval; 'extctl approve \(name)'"
    }
  }

  /// With `blocked`: what blocks it, as the place of the rule, or the key that was revoked.
  public var rule: String? {
    if case .blocked(_, let rule) = why { rule } else { nil }
  }

  init(state: State, explanation: String, rule: String? = nil) {
    self.state = state
    why = rule.map { .blocked(explanation: explanation, rule: $0) } ?? .text(explanation)
  }

  private init(waiting name: String) {
    state = .unapproved
    why = .waits(name)
  }
}

extension CatalogEntry {
  /// An application around an extension that fills one of the application's own points.
  struct Host {
    var facts: BundleFacts
    var decision: Decision?
    var ruling: PolicyRuling
  }

  /// Decides about one bundle as if it had no duplicates.
  ///
  /// `isRevoked`: the person revoked the key that signed it.
  init(
    facts: BundleFacts, incompatibility: String?, decision: Decision?, host: Host?, approval: Approval,
    isRevoked: Bool, ruling: PolicyRuling
  ) {
    let hostDecision = host?.decision
    let name = facts.identifier ?? facts.path
    if facts.kind == .nearMiss {
      self.init(state: .nearMiss, explanation: facts.problems.first?.message ?? "not a bundle")
    } else if let problem = facts.problems.first {
      let more = facts.problems.count > 1 ? " (and \(facts.problems.count - 1) more)" : ""
      self.init(state: .invalid, explanation: problem.message + more)
    } else if let incompatibility {
      self.init(state: .incompatible, explanation: incompatibility)
    } else if isRevoked {
      self.init(
        state: .blocked,
        explanation:
          "signed with a key that was revoked, \(facts.publisher ?? ""); 'extctl publishers' shows which",
        rule: "revoked")
    } else if case .blocked(let rule, let why) = ruling.verdict {
      self.init(state: .blocked, explanation: "the policy \(why): \(rule)", rule: rule)
    } else if let host, case .blocked(let rule, let why) = host.ruling.verdict {
      self.init(
        state: .blocked,
        explanation:
          "it is inside \(host.facts.identifier ?? host.facts.path), of which the policy \(why): \(rule)",
        rule: rule)
    } else if decision?.verdict == .disabled {
      // A developer's has no approval to be given.
      let way = facts.isDeveloped ? "reset" : "enable"
      self.init(
        state: .disabled, explanation: "the person disabled it; 'extctl \(way) \(name)' allows it again")
    } else if facts.isDeveloped {
      self.init(
        state: .enabled, explanation: "a developer's bundle, in use as long as its 'extctl dev run' lasts")
    } else if approval == .everything, hostDecision?.verdict != .disabled {
      self.init(
        state: .enabled,
        explanation: "approved, since this broker is ephemeral and approves all that is valid")
    } else if facts.kind == .appExtension, let host {
      self.init(inside: host.facts, decision: hostDecision, ruling: host.ruling)
    } else if case .approved(let rule) = ruling.verdict {
      self.init(state: .enabled, explanation: "approved by the policy: \(rule)")
    } else {
      self.init(separate: facts, decision: decision)
    }
  }

  private init(inside container: BundleFacts, decision: Decision?, ruling: PolicyRuling) {
    let host = container.identifier ?? container.path
    if container.rootOwned, decision?.verdict != .disabled {
      self.init(state: .enabled, explanation: "ships inside \(host), which only root can write")
      return
    }
    if case .approved(let rule) = ruling.verdict, decision?.verdict != .disabled {
      self.init(state: .enabled, explanation: "ships inside \(host), which the policy approves: \(rule)")
      return
    }
    let whole = Self(separate: container, decision: decision)
    switch whole.state {
    case .enabled: self.init(state: .enabled, explanation: "ships inside \(host), which is approved")
    case .disabled: self.init(state: .disabled, explanation: "its host \(host) is disabled")
    case .changed:
      self.init(
        state: .changed,
        explanation: "its host \(host) changed since it was approved; 'extctl approve \(host)'")
    default:
      self.init(
        state: .unapproved,
        explanation: "ships inside \(host), which waits for approval; 'extctl approve \(host)'")
    }
  }

  private init(separate facts: BundleFacts, decision: Decision?) {
    let name = facts.identifier ?? facts.path
    guard let decision, decision.verdict != .reset else {
      self.init(waiting: name)
      return
    }
    if decision.verdict == .disabled {
      self.init(
        state: .disabled, explanation: "the person disabled it; 'extctl enable \(name)' allows it again")
    } else if decision.digest == facts.digest, decision.entitlements == facts.entitlements {
      self.init(state: .enabled, explanation: "approved")
    } else if decision.rootOwned, facts.rootOwned,
      Set(facts.entitlements).isSubset(of: decision.entitlements)
    {
      self.init(state: .enabled, explanation: "approved, and updated by root since")
    } else if decision.approvesUpdate(facts) {
      self.init(state: .enabled, explanation: "approved, and updated by its publisher since")
    } else {
      let what = decision.difference(from: facts)
      self.init(
        state: .changed, explanation: "\(what); 'extctl approve \(name)' shows what it is now")
    }
  }
}

extension Decision {
  /// An update that its publisher signed, that asks for nothing more and does not go back.
  func approvesUpdate(_ facts: BundleFacts) -> Bool {
    publisher != nil && publisher == facts.publisher && asksForNothingMore(facts) && !goesBack(to: facts)
  }

  private func asksForNothingMore(_ facts: BundleFacts) -> Bool {
    Set(facts.entitlements).isSubset(of: entitlements)
  }

  private func goesBack(to facts: BundleFacts) -> Bool {
    BundleVersion.precedes(facts.version ?? "", version ?? "")
  }

  /// Why it does not hold for what is there now.
  fileprivate func difference(from facts: BundleFacts) -> String {
    let more = facts.entitlements.filter { !entitlements.contains($0) }
    if !more.isEmpty { return "asks for more than was approved: \(more.joined(separator: ", "))" }
    guard let publisher else { return "changed since it was approved" }
    if facts.publisher != publisher { return "changed, and not signed by the publisher that was approved" }
    if goesBack(to: facts) {
      return
        "signed by the approved publisher, but older than version \(version ?? ""), which was used before"
    }
    return "changed since it was approved"
  }
}
