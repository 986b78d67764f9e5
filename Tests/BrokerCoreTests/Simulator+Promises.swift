import ExtensionInterfaces

@testable import BrokerCore

// What must hold whatever happens.

extension Simulator {
  /// Only what is approved, in use, at rest no more, and checked; and only once the launcher's table is in.
  func checkLaunch(_ order: LaunchOrder) {
    let id = order.instance
    if directories.remove(id) == nil { fault("\(id) is launched and its directory is not open") }
    if !tableIsIn { fault("\(id) is launched before the launcher's table is in") }
    guard let facts = disk[order.path], let digest = facts.digest else {
      return fault("\(id) is launched and there is no \(order.path)")
    }
    if digest != broker.instances[id]?.digest { fault("\(id) is launched with content that nobody saw") }
    if copyInUse(order.extensionIdentifier)?.path != order.path {
      fault("\(order.path) is launched and may not be")
    }
    if !isInScope(facts) { fault("\(order.path) is launched outside its scope") }
    if restsUntil[digest, default: 0] > now.monotonic { fault("\(order.path) is launched and should rest") }
    launched[id] = (order.path, digest)
  }

  /// A new broker ends nothing that still may run.
  func checkLiveOn(_ running: [String]) {
    for id in running {
      guard case .stopping(let reason, _)? = broker.instances[id]?.phase, let (path, digest) = launched[id],
        let facts = disk[path], facts.digest == digest, isAllowed(facts)
      else { continue }
      if reason.kind == .disabled || reason.kind == .removed {
        fault("\(id) may run, and the new broker ends it as \(reason.kind)")
      }
    }
  }

  /// The launcher may forget an end that was told, or that nobody wanted to hear for long, or where it gets too many.
  func checkForgetting(_ id: String, _ known: Life? = nil) {
    guard let life = known ?? lives[id], !life.isSettled else { return }
    let since = life.endedAt ?? .max
    if since <= now.monotonic - limits.untoldEndDeadline || isTight && life.endedAt != nil {
      reach("given up")
      lives[id]?.excuse()
    } else {
      fault("the end of \(id) is forgotten and its host was not told")
    }
  }

  func checkVerified(_ program: Client.Program) {
    guard let executable = program.executable,
      disk.values.contains(where: {
        $0.kind == .application && $0.problems.isEmpty && $0.identifier == program.name
          && $0.path + "/" + ($0.program ?? "") == executable
      })
    else { return fault("\(program) is verified") }
  }

  /// A sandboxed program gets nothing but what is under its own name, if it is known to be who it says.
  func checkSandbox(_ client: Client, _ points: [String]) {
    guard client.program.sandboxed else { return }
    reach("sandboxed use")
    for point in points where !client.verified || !point.hasPrefix(client.program.name + ".") {
      fault("\(client.program) may use \(point)")
    }
    if !client.verified { fault("\(client.program) may use something") }
  }

  func checkUsable(_ facts: BundleFacts) {
    if copyInUse(facts.identifier ?? "")?.path != facts.path || !isInScope(facts)
      || restsUntil[facts.digest ?? "", default: 0] > now.monotonic
    {
      fault("\(facts.path) is explained to be usable")
    }
  }

  func checkList(_ reply: AdminInterface.List.Reply) {
    for row in reply.extensions {
      guard let facts = disk[row.path], facts.kind == .appExtension else { continue }
      if (row.developer == true) != (row.path == Disk.tool) { fault("\(row.path) is wrongly marked") }
      let inUse = copyInUse(row.identifier ?? "")?.path == row.path
      if (row.state == .enabled) != inUse { fault("\(row.path) is listed as \(row.state)") }
    }
  }

  /// Whoever reads knows who may be used, by name, at each moment.
  func checkPictures() {
    var truths: [Set<String>: Set<String>] = [:]
    for peer in order {
      guard let client = clients[peer], let stream = client.stream, client.door == .host, !client.isBlocked,
        stream.sequence > 0
      else { continue }
      let truth = truths[stream.points] ?? named(stream.points)
      truths[stream.points] = truth
      if Set(stream.known.keys) != truth { fault("\(peer) knows \(stream.known.keys), true is \(truth)") }
    }
  }

  /// What hosts hear is kept up to date as it changes; it is what looking at everything anew gives.
  func checkAudiences() {
    let catalog = broker.catalog
    var audiences: [String: Audience] = [:]
    for identifier in Set(catalog.bundles.values.compactMap(\.identifier)) {
      guard let facts = catalog.winner(identifier), let point = facts.extensionPoint,
        catalog.isInScope(facts), let kind = catalog.entry(identifier).flatMap({ Standing.Kind($0.state) })
      else { continue }
      audiences[point, default: Audience()].add(identifier, kind)
    }
    for point in Set(audiences.keys).union(catalog.identifiersByPoint.keys) {
      let (kept, counted) = (catalog.audience(of: point), audiences[point] ?? Audience())
      if kept != counted { fault("the audience of \(point) is \(kept), and should be \(counted)") }
    }
  }

  /// Nothing grows without bound, and what belongs together is together.
  func checkBounds() {
    if broker.sessions.count != clients.count { fault("\(broker.sessions.count) sessions") }
    if broker.endedOrder.count > limits.rememberedEnds
      || broker.endedOrder.count != broker.endedActivations.count
    {
      fault("\(broker.endedOrder.count) ends are kept")
    }
    let sessions = broker.sessions
    if Set(broker.watchers) != Set(sessions.keys.filter { sessions[$0]?.watch != nil })
      || Set(broker.developers) != Set(sessions.keys.filter { sessions[$0]?.development != nil })
      || Set(broker.listeners.values.joined())
        != Set(sessions.keys.filter { sessions[$0]?.subscription != nil })
    {
      fault("who is told is not who has a stream")
    }
    let subscriptions = broker.sessions.compactMap { peer, session in session.subscription.map { (peer, $0) }
    }
    if subscriptions.contains(where: { broker.feeds[$1.feed]?.subscribers.contains($0) != true })
      || broker.feeds.values.reduce(0, { $0 + $1.subscribers.count }) != subscriptions.count
    {
      fault("the feeds \(broker.feeds.keys) are not those of \(subscriptions.map(\.0))")
    }
    if broker.instances.count > limits.instances { fault("\(broker.instances.count) instances") }
    for instance in broker.instances.values {
      if instance.accepting.count > limits.connectsInFlightPerInstance + instance.activations.count {
        fault("\(instance.id) is asked for \(instance.accepting.count) connections")
      }
      for id in instance.activations where broker.activations[id]?.instance != instance.id {
        fault("\(instance.id) has \(id), which is not its own")
      }
    }
    for session in broker.sessions.values
    where (session.subscription?.waiting.count ?? 0) > limits.waitingEvents {
      fault("\(session.subscription?.waiting.count ?? 0) events wait")
    }
  }

  /// No bounded call waits longer than all deadlines together.
  func checkWaiting() {
    let bound =
      limits.startDeadline + limits.answerDeadline * 2 + limits.stopDeadline + 3 * limits.terminateDeadline
    let isDebugging = broker.instances.values.contains { $0.waits }
    for peer in order {
      // In a debugger it may take any time.
      if isDebugging, [Disk.names[4], nil].contains(clients[peer]?.call?.asked) { continue }
      guard let call = clients[peer]?.call, call.isBounded, now.monotonic - call.since > bound + 3_000 else {
        continue
      }
      fault("\(call) still waits")
    }
  }
}
