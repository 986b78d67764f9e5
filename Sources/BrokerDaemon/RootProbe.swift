internal import LinuxSystem

/// Finds out whether the file systems of roots answer. One that hangs keeps nobody from reading the others.
///
/// They are asked one after the other, since an answer takes less time than a thread; while one is late, another thread asks
/// the next.
final class RootProbe {
  /// After so long an answer is late.
  private static let patience: Duration = .milliseconds(20)

  private let loop: EventLoop
  /// What is done when a root answers.
  private var waiting: [String: () -> Void] = [:]
  /// Roots that nobody asks yet, in the order in which they are asked.
  private var queue: [String] = []
  private var timer: EventLoop.Timer?

  private var busy = 0
  /// One that was answered. It stays: to make a thread and to end it takes over 20 calls, and a question but three.
  private var idle: Worker?

  init(loop: EventLoop) { self.loop = loop }

  /// Calls `then` when the root has answered, whatever it has said. While it is being asked, only the last one counts.
  func ask(_ root: String, then: @escaping () -> Void) {
    guard waiting.updateValue(then, forKey: root) == nil else { return }
    queue.append(root)
    if busy == 0 || idle != nil { askNext() } else { hurryLater() }
  }

  private func hurryLater() {
    guard timer == nil, !queue.isEmpty else { return }
    timer = loop.schedule(after: Self.patience) { [weak self] in
      self?.timer = nil
      self?.askNext()
    }
  }

  private func askNext() {
    guard !queue.isEmpty else { return }
    let root = queue.removeFirst()
    defer { hurryLater() }
    // Without one more thread there is no better way than to read it.
    guard let worker = idle.take() ?? Worker.started(on: loop) else { return answered(root) }
    busy += 1
    worker.perform {
      if let directory = try? File.open(root, .directory) { _ = try? FileSystemKind(of: directory.rawValue) }
    } completion: { [weak self] in
      guard let self else { return }
      self.busy -= 1
      self.idle = worker
      self.answered(root)
    }
  }

  private func answered(_ root: String) {
    timer?.cancel()
    timer = nil
    askNext()
    waiting.removeValue(forKey: root)?()
  }
}
