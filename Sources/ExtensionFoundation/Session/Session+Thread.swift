internal import LinuxSystem

extension Session {
  /// What is isolated, from what is on the sessions' thread already; traps elsewhere. For each call and each message:
  /// `assumeIsolated` takes the runtime a tenth of a call's instructions, since it asks the task, and each executor in turn.
  ///
  /// - Parameter body: captures nothing, or it would be an object by itself; what it needs is in `input`.
  @inline(__always)
  nonisolated func onThread<Input, Output, Failure: Error>(
    _ input: Input, _ body: @escaping (isolated Session, Input) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    Self.thread.checkIsolated()
    // As the standard library has it: isolation changes nothing in how a synchronous function is called.
    let plain = unsafe unsafeBitCast(
      Isolated(body: body), to: Plain<Input, Output, Failure>.self)
    return try plain.body(self, input)
  }

  // In structures: a function by itself would get a thunk from the cast, which is an object too.

  private struct Isolated<Input, Output, Failure: Error> {
    let body: (isolated Session, Input) throws(Failure) -> Output
  }

  private struct Plain<Input, Output, Failure: Error> {
    let body: (Session, Input) throws(Failure) -> Output
  }
}
