internal import CLinux
internal import Synchronization

/// A thread for work that would block an event loop: hashing, databases, file walks.
///
/// Work runs in the order in which it was given; completions run on the loop's thread, in the same order. The thread is
/// there from the first work on: many that could be needed are not.
package final class Worker {
  private struct Queue {
    var work: [@Sendable () -> Void] = []
    var finished: [(UInt64, any Sendable)] = []
    var ended = false
  }

  /// What both threads touch.
  private final class Shared: Sendable {
    private let queue = Mutex(Queue())
    let wakeWorker: FileDescriptor
    let wakeLoop: FileDescriptor

    init() throws(Errno) {
      wakeWorker = try checkDescriptor { eventfd(0, clinux_EFD_CLOEXEC) }
      wakeLoop = try EventCounter.make()
    }

    func withQueue<Result: Sendable>(_ body: (inout Queue) -> Result) -> Result {
      queue.withLock(of: self, body)
    }

    func run() {
      while true {
        var count: UInt64 = 0
        _ = unsafe read(wakeWorker.rawValue, &count, 8)
        runWaiting()
        if withQueue({ $0.ended }) { return }
      }
    }

    func runWaiting() {
      while true {
        let next = withQueue { queue -> (@Sendable () -> Void)? in
          queue.work.isEmpty ? nil : queue.work.removeFirst()
        }
        guard let next else { return }
        next()
      }
    }
  }

  private let shared: Shared
  private var completions: [UInt64: (any Sendable) -> Void] = [:]
  private var nextTicket: UInt64 = 0
  private var watch: EventLoop.Watch?
  private var isStarted = false

  package init(loop: EventLoop) throws(Errno) {
    let shared = try Shared()
    self.shared = shared
    watch = try loop.watch(shared.wakeLoop.rawValue, for: .readable) { [unowned self] _ in self.finish() }
  }

  /// Makes the thread, where there is none yet. Whoever may not wait for the work calls it before `perform`.
  package func start() throws(Errno) {
    guard !isStarted else { return }
    let shared = shared
    try startThread { shared.run() }
    isStarted = true
  }

  /// One whose thread is there already, for work that nobody may wait for; nil where there is no thread for it.
  package static func started(on loop: EventLoop) -> Worker? {
    guard let worker = try? Worker(loop: loop), (try? worker.start()) != nil else { return nil }
    return worker
  }

  deinit {
    watch?.cancel()
    shared.withQueue { $0.ended = true }
    EventCounter.ring(shared.wakeWorker.rawValue)
  }

  /// How much was asked for whose completion has not run.
  package var waiting: Int { completions.count }

  /// Runs `work` on the thread, then `completion` with its result on the loop's thread. Where the system has no more threads,
  /// the work is done at once by who gives it: late is better than never.
  package func perform<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
  ) {
    nextTicket += 1
    let ticket = nextTicket
    completions[ticket] = { result in
      guard let result = result as? Result else { preconditionFailure("a result of another kind") }
      completion(result)
    }
    let shared = shared
    shared.withQueue { queue in
      queue.work.append {
        let result = work()
        shared.withQueue { $0.finished.append((ticket, result)) }
        EventCounter.ring(shared.wakeLoop.rawValue)
      }
    }
    do throws(Errno) {
      try start()
      EventCounter.ring(shared.wakeWorker.rawValue)
    } catch {
      shared.runWaiting()
    }
  }

  private func finish() {
    EventCounter.clear(shared.wakeLoop.rawValue)
    let finished = shared.withQueue { queue in
      let finished = queue.finished
      queue.finished = []
      return finished
    }
    for (ticket, result) in finished { completions.removeValue(forKey: ticket)?(result) }
  }
}

/// Starts a detached thread with the signals of this one blocked.
package func startThread(_ body: @escaping @Sendable () -> Void) throws(Errno) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let argument = unsafe Unmanaged.passRetained(Body(body))
  let error = unsafe pthread_create(
    &thread, nil,
    { argument in
      guard let argument = unsafe argument else { return nil }
      unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, argument.toOpaque())
  if error != 0 {
    unsafe argument.release()
    throw Errno(rawValue: error)
  }
  pthread_detach(thread)
}

package enum CurrentThread {
  /// Tells threads of this process apart: pthread_self(3).
  package static var identifier: UInt { UInt(pthread_self()) }
}
