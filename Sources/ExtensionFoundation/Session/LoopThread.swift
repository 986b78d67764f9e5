internal import LinuxSystem
internal import Synchronization

/// An event loop on a thread of its own, which is also an executor: actors that run on it may use what belongs to the
/// loop. It lasts as long as the process.
///
/// Not in LinuxSystem: programs that have none of it need nothing of Swift's concurrency, and so of libdispatch.
final class LoopThread: SerialExecutor {
  private enum Job: Sendable {
    case isolated(UnownedJob)
    case task(UnownedJob, Tasks)
  }

  private struct Queue {
    var jobs: [Job] = []
    /// Whether somebody has woken the thread for them.
    var isWoken = false
  }

  private let queue = Mutex(Queue())
  private let event: FileDescriptor
  /// The thread's identifier, once it runs.
  private let thread = Atomic<UInt>(0)
  private let executor = Mutex<Tasks?>(nil)
  /// Used on the thread alone.
  private nonisolated(unsafe) var loop: EventLoop?
  /// Those that the thread's own work has added. Used on the thread alone.
  private nonisolated(unsafe) var ownJobs: [Job] = []
  /// Used on the thread alone.
  private nonisolated(unsafe) var spareJobs: [Job] = []

  /// Starts the thread.
  init() throws(Errno) {
    event = try EventCounter.make()
    try startThread { [self] in run() }
  }

  /// Whether this is the loop's thread.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == CurrentThread.identifier }

  /// The loop. On its thread only.
  func withLoop<Result, Failure: Error>(
    _ body: (EventLoop) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard isCurrent, let loop = unsafe loop else { preconditionFailure("this is not the loop's thread") }
    return try body(loop)
  }

  /// For tasks that talk through the loop: preferring it saves them two changes of threads a call.
  var tasks: Tasks {
    executor.withLock { executor in
      if let executor { return executor }
      let made = Tasks(thread: self)
      executor = made
      return made
    }
  }

  private func run() {
    thread.store(CurrentThread.identifier, ordering: .relaxed)
    // Without descriptors there is no loop, and nothing can be done about it here.
    guard let loop = try? EventLoop(),
      let watch = try? loop.watch(
        event.rawValue, for: .readable, handler: { [unowned self] _ in EventCounter.clear(event.rawValue) })
    else { preconditionFailure("the process has no descriptors left for an event loop") }
    unsafe self.loop = loop
    defer { watch.cancel() }
    while true {
      let isEmpty = runJobs()
      do throws(Errno) { try loop.turn(limit: isEmpty ? nil : .zero) } catch {
        preconditionFailure("the event loop fails: \(error)")
      }
    }
  }

  /// The jobs that are there now and those that they add, but not for ever: descriptors have their turn too.
  /// Returns whether none is left; whoever adds one from then on wakes the thread.
  private func runJobs() -> Bool {
    // The arrays change places, and keep their room.
    var jobs = unsafe spareJobs
    unsafe spareJobs = []
    defer {
      jobs.removeAll(keepingCapacity: true)
      unsafe spareJobs = jobs
    }
    for _ in 0..<16 {
      jobs.removeAll(keepingCapacity: true)
      unsafe swap(&ownJobs, &jobs)
      queue.withLock(of: self) { queue in
        if jobs.isEmpty {
          swap(&queue.jobs, &jobs)
        } else if !queue.jobs.isEmpty {
          jobs += queue.jobs
          queue.jobs.removeAll(keepingCapacity: true)
        }
        queue.isWoken = !jobs.isEmpty
      }
      if jobs.isEmpty { return true }
      for job in jobs {
        switch job {
        case .isolated(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .task(let job, let executor): unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
      }
    }
    return false
  }

  private func add(_ job: Job) {
    if isCurrent {
      unsafe ownJobs.append(job)
      return
    }
    let wakes = queue.withLock(of: self) { queue in
      queue.jobs.append(job)
      defer { queue.isWoken = true }
      return !queue.isWoken
    }
    if wakes { EventCounter.ring(event.rawValue) }
  }

  // MARK: SerialExecutor

  func enqueue(_ job: consuming ExecutorJob) { add(.isolated(UnownedJob(job))) }

  func checkIsolated() {
    precondition(isCurrent, "this is not the loop's thread")
  }

  func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// The same thread, for tasks.
  final class Tasks: TaskExecutor {
    private let thread: LoopThread

    fileprivate init(thread: LoopThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) {
      thread.add(.task(UnownedJob(job), self))
    }
  }
}
