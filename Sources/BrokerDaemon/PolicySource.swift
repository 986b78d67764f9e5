internal import BrokerCore
internal import LinuxSystem

/// Reads the policy, and again when one of its files changes. On the loop's thread; the reading is the worker's.
final class PolicySource {
  private static let pause = Duration.milliseconds(100)

  private let reader: PolicyReader
  private let worker: Worker
  private let loop: EventLoop
  private let onPolicy: (Policy) -> Void
  private var watches: DirectoryWatches?
  private var timer: EventLoop.Timer?

  init(
    _ reader: PolicyReader, worker: Worker, loop: EventLoop, warn: @escaping (String) -> Void,
    onPolicy: @escaping (Policy) -> Void
  ) {
    self.reader = reader
    self.worker = worker
    self.loop = loop
    self.onPolicy = onPolicy
    do throws(Errno) {
      watches = try DirectoryWatches(on: loop, worker: worker) { [unowned self] in self.take($0) }
    } catch {
      warn("changes of the policy are not noticed before the next start: inotify says \(error)")
    }
    // Watched first, so that nothing happens unseen between the two.
    for directory in reader.all { watches?.watch(root: directory) }
    read()
  }

  private func take(_ change: DirectoryWatches.Change) {
    if case .root(let directory) = change { watches?.watch(root: directory) }
    timer?.cancel()
    timer = loop.schedule(after: Self.pause) { [unowned self] in self.read() }
  }

  private func read() {
    let reader = reader
    worker.perform {
      reader.read()
    } completion: { [unowned self] in
      self.onPolicy($0)
    }
  }
}
