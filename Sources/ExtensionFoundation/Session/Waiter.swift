internal import LinuxSystem

/// Somebody who waits on the sessions' thread until woken, cancelled, or late. For that thread alone.
final class Waiter: @unchecked Sendable {
  // Sendable by use, as OutgoingCall.

  private var continuation: CheckedContinuation<Void, Never>?
  private var isWoken = false

  /// Whoever was woken has to look whether what it waits for is there: the wake may be a cancellation or the deadline.
  func wait(isolation: isolated any Actor, until deadline: MonotonicTime? = nil, isCancellable: Bool) async {
    Session.thread.checkIsolated()
    let timer = deadline.map { deadline in
      Session.thread.withLoop { $0.schedule(at: deadline) { [self] in wake() } }
    }
    defer { timer?.cancel() }
    guard isCancellable else { return await suspend(isolation: isolation) }
    await withTaskCancellationHandler {
      await suspend(isolation: isolation)
    } onCancel: {
      Task(executorPreference: Session.thread.tasks) { await Self.wake(self, isolation: isolation) }
    }
  }

  func wake() {
    Session.thread.checkIsolated()
    isWoken = true
    continuation?.resume()
    continuation = nil
  }

  private func suspend(isolation: isolated any Actor) async {
    await withCheckedContinuation(isolation: isolation) { continuation in
      if isWoken { continuation.resume() } else { self.continuation = continuation }
    }
  }

  private static func wake(_ waiter: Waiter, isolation: isolated any Actor) { waiter.wake() }
}
