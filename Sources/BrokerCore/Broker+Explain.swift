internal import ExtensionInterfaces

// Why an extension may or may not be used: the same values that decide, told in order.

extension Broker {
  mutating func explain(_ call: AdminInterface.Explain, _ request: RequestID) {
    let found = catalog.matching(call.extension).filter { $0.kind != .pointFile }
    guard let facts = catalog.winner(call.extension) ?? found.first else {
      let gate = AdminInterface.Gate(
        name: "found", result: .fail,
        evidence: "no bundle in any root has the identifier or path \(call.extension)",
        mend: "extctl status, to see the roots; extctl rescan --wait, to read them again")
      return reply(request, AdminInterface.Explain.Reply(gates: [gate], usable: false))
    }
    let gates = gates(facts, host: call.host)
    let usable = !gates.contains { $0.result == .fail }
    reply(request, AdminInterface.Explain.Reply(gates: gates, usable: usable))
  }

  private func gates(_ facts: BundleFacts, host: String?) -> [AdminInterface.Gate] {
    func gate(_ name: String, _ passes: Bool, _ evidence: String, mend: String? = nil) -> AdminInterface.Gate
    {
      AdminInterface.Gate(
        name: name, result: passes ? .pass : .fail, evidence: evidence, mend: passes ? nil : mend)
    }
    let name = facts.identifier ?? facts.path
    let entry = catalog.entries[facts.path]
    let state = entry?.state ?? .invalid
    var gates = [gate("found", facts.kind != .nearMiss, facts.path, mend: "extctl lint \(facts.path)")]
    for problem in facts.problems {
      gates.append(gate("valid: \(problem.check)", false, problem.message, mend: "extctl lint \(facts.path)"))
    }
    if facts.problems.isEmpty { gates.append(gate("valid", true, "every check of the bundle passed")) }
    let incompatibility = catalog.incompatibility(of: facts)
    gates.append(
      gate("compatible", incompatibility == nil, incompatibility ?? "fits this machine and its point"))
    gates.append(
      gate(
        "winner", state != .shadowed,
        state == .shadowed ? entry?.explanation ?? "" : "no other copy comes before it",
        mend: "extctl remove the other copy, or approve this one: extctl approve \(facts.path)"))
    if facts.kind == .appExtension {
      let inScope = catalog.isInScope(facts)
      gates.append(
        gate(
          "scope", inScope, inScope ? "\(facts.extensionPoint ?? "") may use it" : scopeMessage(facts),
          mend: "install the host that defines the point, or move the bundle into it"))
    }
    gates.append(
      gate(
        "entitlements", true,
        facts.entitlements.isEmpty
          ? "it asks for none" : "it asks for \(facts.entitlements.joined(separator: ", "))"))
    gates.append(policyGate(facts, entry))
    let decided = state == .enabled || state == .shadowed && facts.digest == catalog.decisions[name]?.digest
    gates.append(gate("decision", decided, entry?.explanation ?? "", mend: "extctl approve \(name)"))
    let quarantine = facts.digest.flatMap { crashes[$0]?.quarantine(at: now) }
    gates.append(
      gate(
        "quarantine", quarantine == nil,
        quarantine.map { "rests for another \(($0.monotonic - now.monotonic) / 1000) s" }
          ?? "it has not crashed too often",
        mend: "extctl reset \(name)"))
    switch launcher {
    case .connected: gates.append(gate("launcher", true, "connected"))
    case .refused(let message): gates.append(gate("launcher", false, message))
    default:
      gates.append(
        gate(
          "launcher", false, "no launcher is connected",
          mend: "systemctl --user start extensiond-launcher.service"))
    }
    if let host { gates.append(hostGate(host, point: facts.extensionPoint)) }
    gates.append(lastAttempt(name))
    return gates
  }

  private func policyGate(_ facts: BundleFacts, _ entry: CatalogEntry?) -> AdminInterface.Gate {
    if let entry, entry.state == .blocked {
      let mend =
        entry.rule == "revoked"
        ? "extctl reset \(catalog.publisher(of: facts) ?? "")"
        : "whoever administers this machine can change the rule"
      return .init(name: "policy", result: .fail, evidence: entry.explanation, mend: mend)
    }
    let evidence =
      if case .approved(let rule) = catalog.ruling(facts).verdict { "approved by \(rule)" } else {
        "no rule is against it"
      }
    return .init(name: "policy", result: .pass, evidence: evidence)
  }

  private func hostGate(_ host: String, point: String?) -> AdminInterface.Gate {
    func gate(_ result: AdminInterface.Gate.Result, _ evidence: String) -> AdminInterface.Gate {
      AdminInterface.Gate(name: "host", result: result, evidence: "\(host) is \(evidence)")
    }
    let sessions = sessions.values.filter { $0.host?.identifier == host }
    if sessions.isEmpty { return gate(.unknown, "not connected") }
    let name = sessions.contains { $0.verified } ? "verified" : "claimed"
    guard let point, !sessions.contains(where: { permits($0, point: point) }) else {
      return gate(.pass, "connected, \(name)")
    }
    return gate(.fail, "connected, \(name), from a sandbox, so it may not use \(point)")
  }

  private func lastAttempt(_ name: String) -> AdminInterface.Gate {
    guard let attempt = attempts[name] else {
      return AdminInterface.Gate(name: "last attempt", result: .unknown, evidence: "it was not started yet")
    }
    let lines = attempt.standardError.suffix(5).map { "\n  | \($0)" }.joined()
    return AdminInterface.Gate(name: "last attempt", result: .unknown, evidence: attempt.outcome + lines)
  }
}
