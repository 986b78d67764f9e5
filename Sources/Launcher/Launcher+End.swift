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
