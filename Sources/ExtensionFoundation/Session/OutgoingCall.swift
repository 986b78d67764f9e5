internal import LinuxSystem
internal import Varlink

/// A call of ours that waits for its reply, or for its next one. For the sessions' thread alone.
final class OutgoingCall: @unchecked Sendable {
  // Sendable by use: only its session touches it, which is isolated to its thread. Checked, since the compiler does not:
  // a closure is isolated to an actor only where it captures it.

  typealias Answer = (reply: VarlinkReply, descriptors: [SharedDescriptor])

  /// Who waits. Without the checks of `CheckedContinuation`, which cost an object a call: it is kept in one place, which
  /// is empty before it is resumed, and `deinit` sees whether it was.
  @safe struct Continuation: Sendable {
    private let task: UnsafeContinuation<Answer?, any Error>

    init(_ task: UnsafeContinuation<Answer?, any Error>) { unsafe self.task = task }

    func resume(returning answer: sending Answer?) { unsafe task.resume(returning: answer) }
    func resume(with result: Result<Void, any Error>) { unsafe task.resume(with: result.map { nil }) }
  }

  /// Among the calls of this side.
  let number: Int
  /// It may have many replies.
  let hasMany: Bool
  var timer: EventLoop.Timer?
  private var continuation: Continuation?
  /// What came before anybody waited.
  private var answers: [(answer: Answer, size: Int)] = []
  /// How it ended, for whoever waits when no answer is left; nil: with the last answer.
  private var result: Result<Void, any Error>?

  init(number: Int, hasMany: Bool) {
    self.number = number
    self.hasMany = hasMany
  }

  deinit { precondition(continuation == nil, "a call ends with an answer or an error, and this one did not") }

  var hasNoAnswers: Bool { answers.isEmpty }
  var waitingAnswers: (count: Int, bytes: Int) { (answers.count, answers.reduce(0) { $0 + $1.size }) }

  /// Returns whether it took an answer that had come already.
  func wait(_ continuation: Continuation) -> Bool {
    Session.thread.checkIsolated()
    if !answers.isEmpty {
      continuation.resume(returning: answers.removeFirst().answer)
      return true
    }
    if let result { continuation.resume(with: result) } else { self.continuation = continuation }
    return false
  }

  /// - Parameter size: of its message, in bytes.
  func take(_ answer: sending Answer, size: Int, isLast: Bool) {
    Session.thread.checkIsolated()
    guard result == nil else { return }
    if isLast {
      result = .success(())
      cancelTimer()
    }
    if let continuation {
      self.continuation = nil
      continuation.resume(returning: answer)
    } else {
      answers.append((answer, size))
    }
  }

  /// The last answer was there already.
  func end() { finish(.success(())) }

  /// Whether that is how it ends: the first end counts. What waits to be read is dropped.
  @discardableResult
  func finish(throwing error: any Error) -> Bool { finish(.failure(error)) }

  @discardableResult
  private func finish(_ result: Result<Void, any Error>) -> Bool {
    Session.thread.checkIsolated()
    guard self.result == nil else { return false }
    self.result = result
    if case .failure = result { answers = [] }
    cancelTimer()
    continuation?.resume(with: result)
    continuation = nil
    return true
  }

  private func cancelTimer() {
    timer?.cancel()
    timer = nil
  }
}
