internal import LinuxSystem
internal import Varlink

/// A call of ours that waits for its reply. For the sessions' thread alone.
final class OutgoingCall: @unchecked Sendable {
  // Sendable by use: only its session touches it, which is isolated to its thread. Checked, since the compiler does not:
  // a closure is isolated to an actor only where it captures it.

  typealias Answer = (reply: VarlinkReply, descriptors: [SharedDescriptor])

  var timer: EventLoop.Timer?
  private var continuation: CheckedContinuation<Answer, any Error>?
  /// Came before anybody waited.
  private var result: Result<Answer, any Error>?
  private var isFinished = false

  func wait(_ continuation: CheckedContinuation<Answer, any Error>) {
    Session.thread.checkIsolated()
    guard let result else {
      self.continuation = continuation
      return
    }
    continuation.resume(with: result)
  }

  func finish(returning answer: sending Answer) { finish(.success(answer)) }
  func finish(throwing error: any Error) { finish(.failure(error)) }

  /// The first one counts.
  private func finish(_ result: sending Result<Answer, any Error>) {
    Session.thread.checkIsolated()
    guard !isFinished else { return }
    isFinished = true
    timer?.cancel()
    timer = nil
    if let continuation {
      self.continuation = nil
      continuation.resume(with: result)
    } else {
      self.result = result
    }
  }
}
