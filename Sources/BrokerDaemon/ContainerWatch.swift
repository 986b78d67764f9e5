internal import BrokerCore
internal import LinuxSystem

/// Looks at the containers of running instances every so often, and at one that was too full before it is used again.
final class ContainerWatch {
  private let directory: String
  private let limits: Limits
  private let worker: Worker
  private let loop: EventLoop
  /// By instance.
  private var timers: [String: EventLoop.Timer] = [:]
  /// Those of extensions that were too full when last looked at.
  private var full: Set<String> = []

  init(directory: String, limits: Limits, worker: Worker, loop: EventLoop) {
    self.directory = directory
    self.limits = limits
    self.worker = worker
    self.loop = loop
  }

  /// Calls `then` at once where nothing speaks against a launch, or after a look.
  func whenKnown(_ identifier: String, then: @escaping (ContainerFacts?) -> Void) {
    guard full.contains(identifier) else { return then(nil) }
    measure(identifier, then: then)
  }

  /// Until `forget`.
  func watch(_ instance: String, of identifier: String, report: @escaping (ContainerFacts) -> Void) {
    forget(instance)
    timers[instance] = loop.schedule(after: .zero) { [weak self] in
      self?.look(instance, identifier, report)
    }
  }

  func forget(_ instance: String) { timers.removeValue(forKey: instance)?.cancel() }

  func forgetAll() {
    for timer in timers.values { timer.cancel() }
    timers = [:]
  }

  private func look(
    _ instance: String, _ identifier: String, _ report: @escaping (ContainerFacts) -> Void
  ) {
    measure(identifier) { [weak self] facts in
      guard let self, timers[instance] != nil else { return }
      report(facts)
      guard timers[instance] != nil else { return }
      timers[instance] = loop.schedule(after: .milliseconds(limits.containerInterval)) { [weak self] in
        self?.look(instance, identifier, report)
      }
    }
  }

  private func measure(_ identifier: String, then: @escaping (ContainerFacts) -> Void) {
    let path = "\(directory)/\(identifier)"
    let (bytes, files) = (limits.containerBytes, limits.containerFiles)
    worker.perform {
      ContainerSize(of: path, bytes: bytes, files: files)
    } completion: { [weak self] size in
      let facts = ContainerFacts(path: path, bytes: size.bytes, files: size.files, isHidden: size.isHidden)
      guard let self else { return }
      if facts.excess(over: limits) == nil { full.remove(identifier) } else { full.insert(identifier) }
      then(facts)
    }
  }
}
