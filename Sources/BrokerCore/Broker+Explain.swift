internal import ExtensionInterfaces

// Why an extension may or may not be used: the same values that decide, told in order.

extension Broker {
  mutating func explain(_ call: AdminInterface.Explain, _ request: RequestID) {
    let found = catalog.matching(call.extension).filter { $0.kind != .pointFile }
    guard let facts = catalog.winner(call.extension) ?? found.first else {
      var gate = AdminInterface.Gate(
        name: "found", result: .fail,
        evidence: "no bundle in any root has the identifier or path \(call.extension)",
        mend: "extctl status, to see the roots; extctl rescan --wait, to read them again")
      if !unreadRoots.isEmpty {
        gate.evidence += "; what is in \(unreadRoots.sorted().joined(separator: ", ")) is not known yet"
        gate.mend = "its file system does not answer: ls would hang there too; it is read when it answers"
      }
      return reply(request, AdminInterface.Explain.Reply(gates: [gate], usable: false))
    }
    var gates = bundleGates(facts) + trustGates(facts) + launchGates(facts)
    if let gate = sandboxGate(facts) { gates.append(gate) }
    if let host = call.host { gates.append(hostGate(host, facts)) }
    if let scene = call.scene { gates.append(sceneGate(scene, facts)) }
    gates += historyGates(facts.identifier ?? facts.path)
    let usable = !gates.contains { $0.result == .fail }
    reply(request, AdminInterface.Explain.Reply(gates: gates, usable: usable))
  }

  private func gate(_ name: String, _ passes: Bool, _ evidence: String, mend: String? = nil)
    -> AdminInterface.Gate
  {
    AdminInterface.Gate(
      name: name, result: passes ? .pass : .fail, evidence: evidence, mend: passes ? nil : mend)
  }

  /// What stands on the disk.
  private func bundleGates(_ facts: BundleFacts) -> [AdminInterface.Gate] {
    let entry = catalog.entries[facts.path]
    let lint = "extctl lint \(facts.path)"
    // Without an identifier nothing else could be read.
    let isParsed = facts.identifier != nil
    var gates = [
      gate("found", facts.kind != .nearMiss, facts.path, mend: lint),
      gate(
        "parsed", isParsed,
        isParsed ? "\(facts.identifier ?? "") \(facts.version ?? "")" : "it names no identifier",
        mend: lint),
    ]
    for problem in facts.problems {
      gates.append(gate("valid: \(problem.check)", false, problem.message, mend: lint))
    }
    if facts.problems.isEmpty { gates.append(gate("valid", true, "every check of the bundle passed")) }
    gates.append(
      gate(
        "permissions", true,
        facts.rootOwned
          ? "root alone can write it, so updates stay approved while they ask for nothing more"
          : "you can write it, so each change of its content is noticed and decided about"))
    let incompatibility = catalog.incompatibility(of: facts)
    gates.append(
      gate("compatible", incompatibility == nil, incompatibility ?? "fits this machine and its point"))
    gates.append(
      gate(
        "winner", entry?.state != .shadowed,
        entry?.state == .shadowed ? entry?.explanation ?? "" : "no other copy comes before it",
        mend:
          "extctl pin \(facts.path), or remove the other copy; it must be approved: extctl approve \(facts.path)"
      ))
    if facts.kind == .appExtension {
      let inScope = catalog.isInScope(facts)
      gates.append(
        gate(
          "scope", inScope, inScope ? "\(facts.extensionPoint ?? "") may use it" : scopeMessage(facts),
          mend: "install the host that defines the point, or move the bundle into it"))
    }
    return gates
  }

  /// What was decided.
  private func trustGates(_ facts: BundleFacts) -> [AdminInterface.Gate] {
    let name = facts.identifier ?? facts.path
    let entry = catalog.entries[facts.path]
    let asked = catalog.withContents(facts).entitlements
    let isRevoked = catalog.isRevoked(facts)
    let publisher = catalog.publisher(of: facts)
    var gates = [
      gate(
        "signature", !isRevoked,
        isRevoked
          ? "signed by \(publisher ?? ""), a key that was revoked"
          : publisher.map { "signed by \($0)" } ?? "nobody signed it",
        mend: "extctl publishers --restore \(publisher ?? "")"),
      gate(
        "entitlements", true,
        asked.isEmpty
          ? "it asks for nothing beyond its sandbox"
          : "it asks for\n"
            + Entitlement.meanings(of: asked).map { "  \($0.name): \($0.meaning)" }.joined(separator: "\n")),
    ]
    switch catalog.ruling(facts).verdict {
    case .approved(let rule): gates.append(gate("policy", true, "approved by \(rule)"))
    case .none where entry?.state != .blocked || isRevoked:
      gates.append(gate("policy", true, "no rule is against it"))
    default:
      gates.append(
        gate(
          "policy", false, entry?.explanation ?? "",
          mend: "whoever administers this machine can change the rule"))
    }
    let decided =
      entry?.state == .enabled || entry?.state == .shadowed && facts.digest == catalog.decisions[name]?.digest
    gates.append(gate("decision", decided, entry?.explanation ?? "", mend: "extctl approve \(name)"))
    let quarantine = facts.digest.flatMap { crashes[$0]?.quarantine(at: now) }
    gates.append(
      gate(
        "quarantine", quarantine == nil,
        quarantine.map { "rests for another \(($0.monotonic - now.monotonic) / 1000) s" }
          ?? "it has not crashed too often",
        mend: "extctl reset \(name)"))
    return gates
  }

  /// What it would be started with.
  private func launchGates(_ facts: BundleFacts) -> [AdminInterface.Gate] {
    let isFull = instances.count >= limits.instances && !instances.values.contains { $0.path == facts.path }
    var gates = [
      gate(
        "limits", !isFull,
        isFull
          ? "\(instances.count) instances run, and no more may"
          : "\(instances.count) of \(limits.instances) instances run; \(boundsText(facts))",
        mend: "extctl ps, then extctl stop what is not needed")
    ]
    switch launcher {
    case .connected: gates.append(gate("launcher", true, "connected"))
    case .refused(let message): gates.append(gate("launcher", false, message))
    default:
      gates.append(
        gate(
          "launcher", false, "no launcher is connected",
          mend: "systemctl --user start extensiond-launcher.service"))
    }
    return gates
  }

  /// nil where no launcher can say.
  private func sandboxGate(_ facts: BundleFacts) -> AdminInterface.Gate? {
    guard case .connected = launcher else { return nil }
    if facts.entitlements.contains("none") {
      return gate("sandbox", true, "it runs without one, as it asks for")
    }
    guard let fault = sandboxFault else {
      return gate("sandbox", true, "bubblewrap, seccomp and Landlock as this kernel has them")
    }
    if let rule = catalog.ruling(facts).allowsNoSandbox {
      return gate("sandbox", true, "\(fault); the policy lets it run without: \(rule)")
    }
    return gate(
      "sandbox", false, fault,
      mend: "install bubblewrap; or let the kernel make user name spaces; see docs/policy.md, AllowNoSandbox")
  }

  /// Why no sandbox can be made here.
  var sandboxFault: String? {
    if case .connected(let facts) = launcher { facts.sandboxFault } else { nil }
  }

  private func hostGate(_ host: String, _ facts: BundleFacts) -> AdminInterface.Gate {
    func gate(_ result: AdminInterface.Gate.Result, _ evidence: String) -> AdminInterface.Gate {
      AdminInterface.Gate(name: "host", result: result, evidence: "\(host) is \(evidence)")
    }
    let sessions = sessions.values.filter { $0.host?.identifier == host }
    if sessions.isEmpty { return gate(.unknown, "not connected") }
    let isVerified = sessions.contains { $0.verified }
    let name = isVerified ? "verified" : "claimed"
    if !isVerified, let rule = catalog.ruling(facts).requiresVerifiedHost {
      return gate(.fail, "connected, only claimed, and the policy wants its name verified: \(rule)")
    }
    guard let point = facts.extensionPoint, !sessions.contains(where: { permits($0, point: point) }) else {
      return gate(.pass, "connected, \(name)")
    }
    return gate(.fail, "connected, \(name), from a sandbox, so it may not use \(point)")
  }

  private func sceneGate(_ scene: String, _ facts: BundleFacts) -> AdminInterface.Gate {
    let running = instances.values.filter { $0.path == facts.path && $0.phase == .running }
    guard let scenes = running.compactMap(\.scenes).first else {
      return AdminInterface.Gate(
        name: "scene", result: .unknown,
        evidence: running.isEmpty
          ? "its scenes are known when it runs, and it does not"
          : "it decides about each scene when it is asked")
    }
    return gate(
      "scene", scenes.contains(scene),
      scenes.contains(scene)
        ? "it offers \(scene)" : "it has no scene \(scene); it offers \(scenes.joined(separator: ", "))")
  }

  /// What became of it so far. Nothing here shuts it out.
  private func historyGates(_ name: String) -> [AdminInterface.Gate] {
    func gate(_ title: String, _ evidence: String) -> AdminInterface.Gate {
      AdminInterface.Gate(name: title, result: .unknown, evidence: evidence)
    }
    let lines = attempts[name]?.standardError.suffix(5).map { "\n  | \($0)" }.joined() ?? ""
    return [
      gate("last launch", (attempts[name]?.outcome ?? "it was not started yet") + lines),
      gate("last handshake", handshakes[name] ?? "it has answered nothing yet"),
    ] + (reports[name] ?? []).map { gate("reported", "by \($0.host): \($0.message)") }
  }
}
