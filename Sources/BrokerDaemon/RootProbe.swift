internal import LinuxSystem

/// Finds out whether the file system of a root answers, each root by a thread of its own: one that hangs keeps nobody from
/// reading the others.
final class RootProbe {
  private let loop: EventLoop
  /// By root, and what is done when it answers.
  private var waiting: [String: (worker: Worker, then: () -> Void)] = [:]

  /// Those that were answered. They stay: to make a thread and to end it takes over 20 calls, and a question but three.
  private var idle: [Worker] = []

  init(loop: EventLoop) { self.loop = loop }

  /// Calls `then` when the root has answered, whatever it has said. While it is being asked, only the last one counts.
  func ask(_ root: String, then: @escaping () -> Void) {
    if let worker = waiting[root]?.worker {
      waiting[root] = (worker, then)
      return
    }
    // Without one more thread there is no better way than to read it.
    guard let worker = idle.popLast() ?? (try? Worker(loop: loop)) else { return then() }
    waiting[root] = (worker, then)
    worker.perform {
      if let directory = try? File.open(root, .directory) { _ = try? FileSystemKind(of: directory.rawValue) }
    } completion: { [weak self] in
      guard let self, let (worker, then) = self.waiting.removeValue(forKey: root) else { return }
      self.idle.append(worker)
      then()
    }
  }
}
