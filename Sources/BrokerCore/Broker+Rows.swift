internal import ExtensionInterfaces

// The tables that people see.

extension Broker {
  /// The rows of the list, sorted by their paths.
  func rows(_ found: [BundleFacts], in languages: [String]) -> [AdminInterface.Extension] {
    var running: [String: Int] = [:]
    for instance in instances.values { running[instance.path, default: 0] += 1 }
    // Most ask for nothing, and then they are all held to the same.
    let plain = BundleFacts(path: "", rootIndex: 0, kind: .appExtension)
    let usual = catalog.policy.rules.isEmpty ? boundRows(plain) : nil
    return found.map { facts in
      let isUsual = facts.kind == .appExtension && facts.hasUsualBounds
      return row(
        facts, in: languages, instances: running[facts.path] ?? 0, bounds: isUsual ? usual : nil)
    }
  }

  func row(_ facts: BundleFacts, in languages: [String]) -> AdminInterface.Extension {
    row(
      facts, in: languages, instances: instances.values.lazy.filter { $0.path == facts.path }.count,
      bounds: nil
    )
  }

  private func row(
    _ facts: BundleFacts, in languages: [String], instances: Int, bounds: [AdminInterface.Bound]?
  ) -> AdminInterface.Extension {
    let entry = catalog.entries[facts.path]
    let entitlements =
      facts.kind == .application ? catalog.withContents(facts).entitlements : facts.entitlements
    return AdminInterface.Extension(
      identifier: facts.identifier, path: facts.path, state: entry?.state ?? .invalid,
      explanation: entry?.explanation ?? "", localizedName: facts.name?.text(in: languages),
      extensionPoint: facts.extensionPoint, version: facts.version, buildVersion: facts.buildVersion,
      containingHost: facts.containingHost, digest: facts.digest, rootOwned: facts.rootOwned,
      entitlements: entitlements, problems: facts.problems,
      instances: instances,
      quarantinedUntil: facts.digest.flatMap { crashes[$0]?.quarantine(at: now) }.map { Int($0.wall) },
      programs: facts.programs.isEmpty ? nil : facts.programs, pointVersion: facts.pointVersion,
      details: .init(facts.details, in: languages), developer: facts.isDeveloped ? true : nil,
      asks: entitlements.isEmpty ? nil : Entitlement.meanings(of: entitlements),
      publisher: facts.publisher, publisherKeyType: facts.publisherKeyType,
      approvedPublisher: facts.identifier.flatMap { catalog.decisions[$0]?.publisher },
      pinned: facts.identifier.flatMap(catalog.pin) == facts.path ? true : nil,
      limits: facts.kind == .appExtension ? bounds ?? boundRows(facts) : nil)
  }

  var pointRows: [AdminInterface.ExtensionPoint] {
    catalog.points.map { point in
      AdminInterface.ExtensionPoint(
        identifier: point.identifier, path: catalog.point(definedAt: point.identifier) ?? "",
        host: point.host,
        userInterface: point.userInterface, scope: point.scope == .none ? .none : .application,
        instancePolicy: .init(rawValue: point.instancePolicy.rawValue) ?? .perHost, version: point.version,
        extensions: catalog.identifiersByPoint[point.identifier]?.count ?? 0, interface: point.interface)
    }
  }

  var hostRows: [AdminInterface.Host] {
    var rows: [HostKey: AdminInterface.Host] = [:]
    for session in sessions.values {
      guard let host = session.host else { continue }
      var row =
        rows[host]
        ?? AdminInterface.Host(
          identifier: host.identifier, verified: session.verified, pid: Int(host.process.processID),
          connections: 0, subscriptions: 0,
          activations: activations.values.lazy.filter { $0.host == host }.count,
          uid: Int(session.peer.userID), executable: session.peer.executable,
          controlGroup: session.peer.controlGroup, sandboxed: session.peer.sandboxed,
          flatpak: session.peer.controlGroup.flatMap(ControlGroupName.flatpak))
      row.connections += 1
      if session.subscription != nil { row.subscriptions += 1 }
      rows[host] = row
    }
    return rows.values.sorted { ($0.identifier, $0.pid) < ($1.identifier, $1.pid) }
  }

  /// Oldest first. Identifiers end with a number, so that of two from the same moment the shorter one is earlier.
  private func isEarlier(_ left: (since: Int64, id: String), _ right: (since: Int64, id: String)) -> Bool {
    (left.since, left.id.utf8.count, left.id) < (right.since, right.id.utf8.count, right.id)
  }

  var instanceRows: [AdminInterface.Instance] {
    instances.values.sorted { isEarlier(($0.since, $0.id), ($1.since, $1.id)) }.map { instance in
      let state: AdminInterface.Instance.State =
        switch instance.phase {
        case .backingOff, .checking, .rereading, .waitingForLauncher, .launching: .launching
        case .starting: .starting
        case .running: .running
        case .stopping: .stopping
        }
      return AdminInterface.Instance(
        id: instance.id, extension: instance.identifier, extensionPoint: instance.extensionPoint,
        path: instance.path, version: instance.version, pid: instance.processID.map(Int.init), state: state,
        since: Int(instance.since), activations: instance.activations.count, digest: instance.digest,
        developer: instance.isDeveloped ? true : nil, scenes: instance.scenes)
    }
  }

  var activationRows: [AdminInterface.Activation] {
    let known = activations.values.filter { !$0.isPending }
    return known.sorted { isEarlier(($0.since, $0.id), ($1.since, $1.id)) }.map { activation in
      AdminInterface.Activation(
        id: activation.id, extension: activation.identifier, instance: activation.instance,
        host: activation.host.identifier, scene: activation.scene, connections: activation.connections,
        since: Int(activation.since))
    }
  }

  var status: AdminInterface.Status.Reply {
    var launcherProcess: Int?
    var controlGroups = false
    var warnings = facts.warnings
    switch launcher {
    case .connected(let launcher):
      launcherProcess = Int(launcher.processID)
      controlGroups = launcher.controlGroups
    case .refused(let message): warnings.append(message)
    default: break
    }
    warnings += catalog.policy.problems
    return AdminInterface.Status.Reply(
      version: facts.version, pid: facts.processID, generation: generation, since: Int(facts.since),
      launcher: launcherProcess == nil ? .absent : .connected, launcherPid: launcherProcess,
      controlGroups: controlGroups,
      approval: catalog.approval == .everything ? .everything : .person, roots: facts.roots,
      limits: limits.table,
      extensions: catalog.bundles.values.lazy.filter { $0.kind == .appExtension }.count,
      instances: instances.count, activations: activations.count, hosts: hostRows.count,
      descriptors: facts.descriptors, warnings: warnings)
  }
}
