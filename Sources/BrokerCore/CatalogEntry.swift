public import ExtensionInterfaces

/// What a bundle is to the broker, decided from its facts and the person's decisions.
public struct CatalogEntry: Hashable, Sendable {
  public typealias State = AdminInterface.Extension.State

  public var state: State
  /// One sentence: why, and what to do.
  public var explanation: String
}

extension CatalogEntry {
  /// Decides about one bundle as if it had no duplicates.
  ///
  /// `host` is the application around it, where it fills one of that one's points, with the decision about it.
  init(
    facts: BundleFacts, incompatibility: String?, decision: Decision?, host: BundleFacts?,
    hostDecision: Decision?, approval: Approval
  ) {
    let name = facts.identifier ?? facts.path
    if facts.kind == .nearMiss {
      self.init(state: .nearMiss, explanation: facts.problems.first?.message ?? "not a bundle")
    } else if let problem = facts.problems.first {
      let more = facts.problems.count > 1 ? " (and \(facts.problems.count - 1) more)" : ""
      self.init(state: .invalid, explanation: problem.message + more)
    } else if let incompatibility {
      self.init(state: .incompatible, explanation: incompatibility)
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
      self.init(inside: host, decision: hostDecision)
    } else {
      self.init(separate: facts, decision: decision)
    }
  }

  private init(inside container: BundleFacts, decision: Decision?) {
    let host = container.identifier ?? container.path
    if container.rootOwned, decision?.verdict != .disabled {
      self.init(state: .enabled, explanation: "ships inside \(host), which only root can write")
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
      self.init(state: .unapproved, explanation: "waits for approval; 'extctl approve \(name)'")
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
    } else {
      self.init(
        state: .changed,
        explanation: "changed since it was approved; 'extctl approve \(name)' shows what it is now")
    }
  }
}
