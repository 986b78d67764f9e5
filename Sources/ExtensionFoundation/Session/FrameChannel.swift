internal import LinuxSystem

/// Frames over a stream socket of their own, on the sessions' thread. io.extensiond.Connection.OpenFrames has their form.
actor FrameChannel {
  private static let headerBytes = 16
  /// What may be on its way, so that both sides work at once: a sender is woken when most of it was read.
  private static let sendBuffer = 512 << 10

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Session.thread.asUnownedSerialExecutor() }

  private let socket: SharedDescriptor
  private var watch: EventLoop.Watch?
  private var isClosed = false

  /// The frame that is being read; kept when its reader is cancelled.
  private var header = [UInt8](repeating: 0, count: headerBytes)
  private var payload: [UInt8] = []
  private var descriptors: [SharedDescriptor] = []
  /// Of header and payload.
  private var filled = 0
  private var reader: Waiter?
  private var isReading = false

  private var writer: Waiter?
  private var isSending = false
  /// Those who wait for their turn.
  private var senders: [Waiter] = []

  init(_ socket: SharedDescriptor) {
    self.socket = socket
    Socket.setSendBuffer(socket.descriptor, bytes: Self.sendBuffer)
  }

  // MARK: Reading

  func next() async throws -> AppExtensionFrames.Frame? {
    precondition(!isReading, "two tasks read frames of one connection at a time: let one read and share them")
    isReading = true
    defer { isReading = false }
    // Who finds frames without waiting lets others have their turn.
    await Task.yield()
    while true {
      if filled == Self.headerBytes, payload.isEmpty { try makeRoom() }
      if filled >= Self.headerBytes, filled == Self.headerBytes + payload.count { return takeFrame() }
      guard !isClosed else { throw Self.closed }
      do throws(Errno) {
        guard try receive() else {
          guard filled > 0 else { return nil }
          throw Errno.connectionReset
        }
      } catch .again {
        try await waitToRead()
      } catch .connectionReset where filled == 0 {
        // All that it sent was read; that it has not read all that was sent is no matter of this side's.
        return nil
      } catch .tooManyDescriptors {
        close()
        throw AppExtensionError(
          .malformedMessage,
          "a frame came with more than \(AppExtensionFrames.descriptorLimit) descriptors, or this process can have no more"
        )
      } catch {
        throw AppExtensionError(.connectionClosed, "the other side ended in the middle of a frame: \(error)")
      }
    }
  }

  /// False at the end of the stream.
  private func receive() throws(Errno) -> Bool {
    let isHeader = filled < Self.headerBytes
    let got =
      isHeader
      ? try Socket.receive(
        into: &header, at: filled, from: socket.rawValue,
        maximumDescriptors: AppExtensionFrames.descriptorLimit)
      : try Socket.receive(into: &payload, at: filled - Self.headerBytes, from: socket.rawValue)
    descriptors += got.descriptors
    let isOver = descriptors.count > AppExtensionFrames.descriptorLimit
    if isOver || got.descriptorsLost && isHeader { throw .tooManyDescriptors }
    filled += got.count
    return got.count > 0
  }

  private func makeRoom() throws(AppExtensionError) {
    let length = Int(number(0..<4))
    guard length <= AppExtensionFrames.payloadLimit else {
      close()
      throw AppExtensionError(
        .malformedMessage,
        "the peer sent a frame of \(length) bytes, and \(AppExtensionFrames.payloadLimit) is the most")
    }
    payload = .uninitialized(count: length)
  }

  private func takeFrame() -> AppExtensionFrames.Frame {
    defer {
      filled = 0
      payload = []
      descriptors = []
    }
    return AppExtensionFrames.Frame(
      kind: UInt32(number(4..<8)), id: number(8..<16), bytes: payload, descriptors: descriptors)
  }

  private func number(_ bytes: Range<Int>) -> UInt64 {
    header[bytes].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func waitToRead() async throws {
    let waiter = Waiter()
    reader = waiter
    updateInterest()
    await waiter.wait(isolation: self, isCancellable: true)
    reader = nil
    updateInterest()
    try Task.checkCancellation()
  }

  // MARK: Sending

  func send(_ frame: AppExtensionFrames.Frame) async throws {
    try check(frame)
    try await waitForTurn()
    defer { if senders.isEmpty { isSending = false } else { senders.removeFirst().wake() } }
    var head = Self.little(UInt64(frame.bytes.count), 4) + Self.little(UInt64(frame.kind), 4)
    head += Self.little(frame.id, 8)
    try await write(head, frame.bytes, frame.descriptors)
  }

  /// Turns are given on, so that nobody comes between.
  private func waitForTurn() async throws {
    guard isSending else { return isSending = true }
    let waiter = Waiter()
    senders.append(waiter)
    await waiter.wait(isolation: self, isCancellable: true)
    // Who is among them still was cancelled.
    guard let index = senders.firstIndex(where: { $0 === waiter }) else { return }
    senders.remove(at: index)
    throw CancellationError()
  }

  private func check(_ frame: AppExtensionFrames.Frame) throws(AppExtensionError) {
    guard frame.bytes.count <= AppExtensionFrames.payloadLimit else {
      throw AppExtensionError(
        .limitReached,
        "a frame of \(frame.bytes.count) bytes is longer than \(AppExtensionFrames.payloadLimit); send it as a descriptor"
      )
    }
    guard frame.descriptors.count <= AppExtensionFrames.descriptorLimit else {
      throw AppExtensionError(
        .limitReached,
        "\(frame.descriptors.count) descriptors are more than the \(AppExtensionFrames.descriptorLimit) of a frame"
      )
    }
  }

  /// Once begun not to be cancelled: the other side would take the next frame for the rest of this one.
  private func write(_ head: [UInt8], _ payload: [UInt8], _ descriptors: [SharedDescriptor]) async throws {
    var descriptors = descriptors
    var sent = 0
    while sent < head.count + payload.count {
      guard !isClosed else { throw Self.closed }
      if sent == 0 { try Task.checkCancellation() }
      do throws(Errno) {
        let rest = payload[max(0, sent - head.count)...]
        sent += try Socket.send(
          rest, after: Array(head.dropFirst(sent)), descriptors: descriptors, to: socket.rawValue)
        descriptors = []
      } catch .again {
        let waiter = Waiter()
        writer = waiter
        updateInterest()
        await waiter.wait(isolation: self, isCancellable: sent == 0)
        writer = nil
        updateInterest()
      } catch {
        throw AppExtensionError(.connectionClosed, "the other side takes no frames any more: \(error)")
      }
    }
  }

  private static func little(_ number: UInt64, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  // MARK: Waiting

  private func updateInterest() {
    var interest: Readiness = []
    if reader != nil { interest.insert(.readable) }
    if writer != nil { interest.insert(.writable) }
    guard !isClosed else { return }
    if let watch { return watch.setInterest(interest) }
    guard !interest.isEmpty else { return }
    watch = Session.thread.withLoop { loop in
      try? loop.watch(socket.rawValue, for: interest) { [weak self] readiness in
        self?.assumeIsolated { $0.ready(readiness) }
      }
    }
    // Without a watch nobody would ever wake who waits.
    if watch == nil { close() }
  }

  private func ready(_ readiness: Readiness) {
    let isOver = !readiness.isDisjoint(with: .hangUp)
    let ready = (reader: reader, writer: writer)
    if isOver || readiness.contains(.readable) { reader = nil }
    if isOver || readiness.contains(.writable) { writer = nil }
    updateInterest()
    if reader == nil { ready.reader?.wake() }
    if writer == nil { ready.writer?.wake() }
    // A hang-up is reported for ever; whoever comes next sees it in the call itself.
    if isOver {
      watch?.cancel()
      watch = nil
    }
  }

  private static let closed = AppExtensionError(.connectionClosed, "the frames were closed on this side")

  func close() {
    guard !isClosed else { return }
    isClosed = true
    watch?.cancel()
    watch = nil
    Socket.shutdown(socket.descriptor)
    reader?.wake()
    reader = nil
    writer?.wake()
    writer = nil
    // Of a frame that never becomes whole.
    filled = 0
    payload = []
    descriptors = []
  }
}
