internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// Varlink over one connected socket, with calls in both directions. All sessions of a process share one thread.
///
/// Each direction is Varlink of its own: replies come in the order of the calls, and the calls of the peer are served one
/// after the other, in their order. Every call ends exactly once: with a reply, or with an error of this session.
/// What waits is bounded on both sides: a sender waits when the peer does not read, and nothing is read while too many
/// calls of the peer wait.
actor Session {
  /// What is served to the peer: the last answer to a call. Those before it went through the call.
  typealias Service = @Sendable (AppExtensionCall) async -> AppExtensionAnswer

  static let thread: LoopThread = {
    do { return try LoopThread() } catch {
      preconditionFailure("no thread can be started for the connections of this process: \(error)")
    }
  }()

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.thread.asUnownedSerialExecutor() }

  private let limits: Limits
  /// nil at the end: what answers may hold the connection.
  private var service: Service?
  /// One answer of many, for all calls of the peer. From `start()` on.
  private var send: AppExtensionCall.Send?
  private var socket: SharedDescriptor?
  private let onEnd: @Sendable (AppExtensionError) -> Void
  private var stream: MessageStream?
  /// Why nothing goes any more.
  private var failure: AppExtensionError?

  /// Calls of ours without their last reply, oldest first.
  private var waiting: [OutgoingCall] = []
  /// Those who wait until the peer has read.
  private var blocked: [Waiter] = []
  private var isBlocked = false

  private var calls = IncomingCalls()
  /// Calls so far. That is how io.extensiond.Connection.Cancel names them.
  private var sentCalls = 0

  /// `onEnd` is called once, on the sessions' thread.
  init(
    socket: SharedDescriptor, limits: Limits = Limits(), service: @escaping Service,
    onEnd: @escaping @Sendable (AppExtensionError) -> Void
  ) {
    self.socket = socket
    self.limits = limits
    self.service = service
    self.onEnd = onEnd
  }

  /// Begins to serve and to read. Whatever comes first does it.
  func start() {
    guard let socket, failure == nil else { return }
    self.socket = nil
    do throws(Errno) {
      let stream = try Self.thread.withLoop { loop throws(Errno) in
        try MessageStream(
          try socket.descriptor.duplicate(), on: loop,
          limits: .init(
            messageBytes: limits.messageBytes, queuedBytes: limits.messageBytes + 2 * limits.queuedBytes,
            descriptors: limits.descriptors))
      }
      stream.onMessage = { [unowned self] message, descriptors in
        self.onThread((message, descriptors)) { $0.receive($1.0, $1.1) }
      }
      stream.onEnd = { [unowned self] end in self.assumeIsolated { $0.close($0.limits.error(end)) } }
      stream.onBlocked = { [unowned self] isBlocked in self.assumeIsolated { $0.setBlocked(isBlocked) } }
      self.stream = stream
      send = { [weak self] in try await self?.send($0, $1) }
    } catch {
      close(AppExtensionError(.connectionClosed, "the connection cannot be used: \(error)"))
    }
  }

  // MARK: Calling

  /// Calls the peer and waits for the reply. A task that prefers the sessions' thread changes no executor on the way.
  /// - Throws: `AppExtensionError` where none comes; `CancellationError`.
  @inline(__always)
  nonisolated func call(
    _ call: VarlinkCall, descriptors: [SharedDescriptor] = [], timeout: Duration? = nil
  ) async throws -> OutgoingCall.Answer {
    let deadline = timeout.map { MonotonicTime.now + $0 }
    let sent =
      if let outgoing = try sendHere(call, descriptors, deadline) { outgoing } else {
        try await send(call, descriptors, deadline)
      }
    guard let answer = try await next(of: sent) else {
      throw AppExtensionError(
        .malformedMessage, "the peer ended a stream where it should answer \(call.method)")
    }
    return answer
  }

  /// nil on another thread, or where it has to wait for room.
  private nonisolated func sendHere(
    _ call: VarlinkCall, _ descriptors: [SharedDescriptor], _ deadline: MonotonicTime?
  ) throws -> OutgoingCall? {
    guard Self.thread.isCurrent else { return nil }
    return try onThread((call, descriptors, deadline)) { try $0.sendAtOnce($1.0, $1.1, $1.2) }
  }

  /// Gives the peer its end of a way for frames.
  func openFrames(_ socket: SharedDescriptor) async throws {
    let reply = try await call(
      ConnectionInterface.OpenFrames(fileDescriptor: 0).call(), descriptors: [socket]
    ).reply
    if reply.error != nil { throw AppExtensionError(peerSays: reply) }
  }

  /// Begins a call that has many replies.
  func stream(_ call: VarlinkCall, descriptors: [SharedDescriptor] = []) async throws -> OutgoingCall {
    try await send(call, descriptors, nil)
  }

  /// The next reply, or the only one; nil after the last of many.
  @inline(__always)
  nonisolated func next(of outgoing: OutgoingCall) async throws -> OutgoingCall.Answer? {
    try await withTaskCancellationHandler {
      try await unsafe withUnsafeThrowingContinuation { unsafe attach(.init($0), to: outgoing) }
    } onCancel: {
      abandonSoon(outgoing)
    }
  }

  /// Whatever thread the task is on when it begins to wait: the answer comes on the sessions' thread.
  private nonisolated func attach(
    _ continuation: OutgoingCall.Continuation, to outgoing: OutgoingCall
  ) {
    if Self.thread.isCurrent {
      onThread((outgoing, continuation)) { $0.wait(for: $1.0, $1.1) }
    } else {
      Task(executorPreference: Self.thread.tasks) { await self.wait(for: outgoing, continuation) }
    }
  }

  private func wait(for outgoing: OutgoingCall, _ continuation: OutgoingCall.Continuation) {
    if outgoing.wait(continuation) { updateReading() }
  }

  private nonisolated func abandonSoon(_ outgoing: OutgoingCall) {
    Task(executorPreference: Self.thread.tasks) { await self.abandon(outgoing, CancellationError()) }
  }

  /// Tells the peer something that has no answer. Returns when it is on its way.
  func tell(_ call: VarlinkCall, descriptors: [SharedDescriptor] = []) async throws {
    _ = try await send(call, descriptors, nil)
  }

  private func send(
    _ call: VarlinkCall, _ descriptors: [SharedDescriptor], _ deadline: MonotonicTime?
  ) async throws -> OutgoingCall {
    while true {
      if let outgoing = try sendAtOnce(call, descriptors, deadline) { return outgoing }
      guard try await waitForRoom(until: deadline) else {
        throw AppExtensionError(.timedOut, "\(call.method) was not sent in time: the peer does not read")
      }
    }
  }

  /// nil where it has to wait for room.
  private func sendAtOnce(
    _ call: VarlinkCall, _ descriptors: [SharedDescriptor], _ deadline: MonotonicTime?
  ) throws -> OutgoingCall? {
    start()
    let message = try encode(call)
    guard hasRoom else { return nil }
    let stream = try stream(for: call)
    let outgoing = OutgoingCall(number: sentCalls + 1, hasMany: call.more)
    // Nobody waits for one that has no answer. It goes also from a task that was cancelled, which may tell of that.
    if !call.oneway {
      try Task.checkCancellation()
      waiting.append(outgoing)
      updateReading()
    }
    sentCalls += 1
    stream.send(message, descriptors: descriptors)
    if let deadline {
      outgoing.timer = Self.thread.withLoop { loop in
        loop.schedule(at: deadline) { [weak self] in
          self?.assumeIsolated {
            $0.abandon(outgoing, AppExtensionError(.timedOut, "\(call.method) was not answered in time"))
          }
        }
      }
    }
    return outgoing
  }

  private func encode(_ call: VarlinkCall) throws(AppExtensionError) -> [UInt8] {
    let message = call.encoded()
    guard message.count <= limits.messageBytes else {
      throw AppExtensionError(
        .limitReached,
        "\(call.method) would be a message of \(message.count) bytes, and \(limits.messageBytes) is the most; send large "
          + "things as descriptors")
    }
    return message
  }

  private func stream(for call: VarlinkCall) throws(AppExtensionError) -> MessageStream {
    if let stream { return stream }
    throw failure ?? AppExtensionError(.connectionClosed, "the connection is closed")
  }

  /// The caller does not wait any more. The peer is told, and its replies are dropped.
  func abandon(_ outgoing: OutgoingCall, _ error: any Error) {
    guard outgoing.finish(throwing: error) else { return }
    updateReading()
    guard let stream, waiting.contains(where: { $0 === outgoing }) else { return }
    sentCalls += 1
    let cancel = OutgoingCall(number: sentCalls, hasMany: false)
    cancel.end()
    waiting.append(cancel)
    stream.send(ConnectionInterface.Cancel(call: outgoing.number).call().encoded())
  }

  // MARK: Room to send

  private var hasRoom: Bool {
    !isBlocked || failure != nil || (stream?.waitingBytes ?? 0) <= limits.queuedBytes
  }

  /// False at the deadline. An answer is owed, so nothing ends the wait for its room but the session's end.
  @discardableResult
  private func waitForRoom(until deadline: MonotonicTime? = nil, forAnswer: Bool = false) async throws -> Bool
  {
    while !hasRoom {
      if let deadline, deadline <= .now { return false }
      let waiter = Waiter()
      blocked.append(waiter)
      await waiter.wait(isolation: self, until: deadline, isCancellable: !forAnswer)
      blocked.removeAll { $0 === waiter }
      if !forAnswer { try Task.checkCancellation() }
    }
    if let failure { throw failure }
    return true
  }

  private func setBlocked(_ value: Bool) {
    isBlocked = value
    guard !value else { return }
    let ready = blocked
    blocked = []
    for waiter in ready { waiter.wake() }
  }

  // MARK: Receiving

  private func receive(_ bytes: ArraySlice<UInt8>, _ descriptors: [SharedDescriptor]) {
    do throws(VarlinkProtocolError) {
      switch try VarlinkMessage(decoding: bytes) {
      case .call(let call): try receive(call, bytes.count, descriptors)
      case .reply(let reply): try receive(reply, bytes.count, descriptors)
      }
    } catch {
      close(AppExtensionError(.malformedMessage, "the peer sent what is no Varlink: \(error)"))
    }
  }

  private func receive(
    _ reply: VarlinkReply, _ size: Int, _ descriptors: [SharedDescriptor]
  ) throws(VarlinkProtocolError) {
    guard let outgoing = waiting.first else {
      throw VarlinkProtocolError("a reply to no call")
    }
    guard outgoing.hasMany || !reply.continues else {
      throw VarlinkProtocolError("several replies to a call that wants one")
    }
    if !reply.continues { waiting.removeFirst() }
    if outgoing.hasMany, reply.error == ConnectionInterface.StreamEnded.name {
      outgoing.end()
    } else {
      // An element has no descriptors: they would wait for nobody.
      let answer = (reply, outgoing.hasMany ? [] : descriptors)
      outgoing.take(answer, size: size, isLast: !reply.continues)
    }
    updateReading()
  }

  /// Nothing is read while too much of what was read waits.
  private func updateReading() {
    // Nearly always: nothing waits.
    if calls.load.calls == 0, waiting.first?.hasNoAnswers ?? true {
      stream?.resume()
      return
    }
    let elements = waiting.first?.waitingAnswers ?? (count: 0, bytes: 0)
    let most = waiting.isEmpty ? limits.waitingCalls : limits.waitingCallsBeforeReply
    if calls.load.reaches(most) || elements.count >= limits.waitingElements
      || elements.bytes >= limits.waitingElementBytes
    {
      stream?.pause()
    } else {
      stream?.resume()
    }
  }

  // MARK: Serving

  private func receive(
    _ call: VarlinkCall, _ size: Int, _ descriptors: [SharedDescriptor]
  ) throws(VarlinkProtocolError) {
    guard let send else { return }
    guard !call.upgrade else { throw VarlinkProtocolError("an upgrade, which is not offered here") }
    if call.method == ConnectionInterface.Cancel.name { cancel(call) }
    calls.add(size: size, descriptors: descriptors.count) { number in
      AppExtensionCall(message: call, descriptors: descriptors, number: number, send: send)
    }
    serveNext()
    updateReading()
  }

  /// Takes effect at once, and is answered in its turn.
  private func cancel(_ call: VarlinkCall) {
    let input = try? ConnectionInterface.Cancel(object: call.parameters, unknownMembers: .ignored)
    if let input { calls.cancel(input.call) }
  }

  private func serveNext() {
    guard let service else { return }
    calls.serveNext { call, isCancelled in
      Task(executorPreference: Self.thread.tasks) { [weak self] in
        let answer = isCancelled ? .cancelled : await service(call)
        await self?.finish(call, answer)
      }
    }
  }

  @inline(__always)
  private nonisolated func finish(_ call: AppExtensionCall, _ answer: AppExtensionAnswer) async {
    if !finishHere(call, answer) { await finishWithRoom(call, answer) }
  }

  private nonisolated func finishHere(_ call: AppExtensionCall, _ answer: AppExtensionAnswer) -> Bool {
    Self.thread.isCurrent && onThread((call, answer)) { $0.finishAtOnce($1.0, $1.1) }
  }

  private func finishWithRoom(_ call: AppExtensionCall, _ answer: AppExtensionAnswer) async {
    while !finishAtOnce(call, answer) { _ = try? await waitForRoom(forAnswer: true) }
  }

  /// False where it has to wait for room.
  private func finishAtOnce(_ call: AppExtensionCall, _ answer: AppExtensionAnswer) -> Bool {
    if !call.message.oneway {
      guard hasRoom else { return false }
      stream?.send(encode(answer.reply), descriptors: answer.descriptors)
    }
    calls.finish()
    serveNext()
    updateReading()
    return true
  }

  /// One answer of many.
  private func send(_ reply: VarlinkReply, _ descriptors: [SharedDescriptor]) async throws {
    try await waitForRoom()
    stream?.send(encode(reply), descriptors: descriptors)
  }

  private func encode(_ reply: VarlinkReply) -> [UInt8] {
    let message = reply.encoded()
    guard message.count > limits.messageBytes else { return message }
    let cause =
      "the answer would be a message of \(message.count) bytes, and \(limits.messageBytes) is the most"
    return ConnectionInterface.Failed(message: cause).reply.encoded()
  }

  // MARK: Ending

  /// Ends the session on this side.
  func invalidate() {
    close(AppExtensionError(.connectionClosed, "the connection was invalidated on this side"))
  }

  private func close(_ error: AppExtensionError) {
    guard failure == nil else { return }
    failure = error
    service = nil
    // It may have been ended before it began.
    socket = nil
    stream?.close()
    stream = nil
    let ended = waiting
    waiting = []
    for outgoing in ended { outgoing.finish(throwing: error) }
    setBlocked(false)
    calls.end()
    onEnd(error)
  }
}
