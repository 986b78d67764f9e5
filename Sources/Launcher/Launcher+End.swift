internal import LinuxSystem

extension Launcher {
  /// Ends all instances, and then the launcher.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    ServiceManager.stopping()
    end(Array(instances.values))
    // Whatever does not even end by SIGKILL is not waited for.
    loop.schedule(after: Self.grace + .seconds(2)) { [weak self] in self?.loop.stop() }
    checkEnd()
  }

  /// SIGTERM, and SIGKILL to what is left.
  private func end(_ instances: [Instance]) {
    for instance in instances where instance.isLiving { instance.terminate() }
    loop.schedule(after: Self.grace) { for instance in instances where instance.isLiving { instance.kill() } }
  }

  /// The first process of a new sandbox waits for bwrap before it would notice that bwrap has died. A control group finds
  /// it then. Where there is none, it comes to this process, as one that nobody here has started. Whether one is still
  /// there; when this process itself is killed, they come to the guard above it.
  @discardableResult
  func endOrphans() -> Bool {
    guard groups == nil else { return false }
    let own = Set(instances.values.flatMap(\.children))
    let orphans = Descendants.children.filter { !own.contains($0) }
    if orphans.isEmpty { return false }
    for orphan in orphans { try? SharedProcess(processID: orphan).send(signal: Signals.kill) }
    Descendants.reapAdopted(own: own)
    return Descendants.children.contains { !own.contains($0) }
  }

  /// By hand: waits for a broker, but not for ever.
  func becomeIdle() {
    guard settings.isByHand, broker == nil, !isStopping else { return }
    idleTimer = loop.schedule(after: settings.idle) { [weak self] in
      self?.isAbandoned = true
      self?.checkEnd()
    }
  }

  /// Whether there is anything left to run for.
  func checkEnd() {
    if isAbandoned {
      let used = Set(leases.values.filter(\.isLiving).map(\.instance))
      end(instances.values.filter { $0.isLiving && !used.contains($0.name) })
    }
    if isStopping || isAbandoned, !instances.values.contains(where: \.isLiving) { loop.stop() }
  }
}
