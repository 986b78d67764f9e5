public import LinuxSystem

/// Messages that end with NUL, over a connected stream socket, on an event loop.
///
/// Bounded in every direction: a message's length, the bytes that wait for a peer that does not read, and how many
/// messages are delivered before other descriptors get a turn. Belongs to its loop's thread.
public final class MessageStream {
  /// The bounds of a stream.
  public struct Limits: Sendable {
    /// Bytes of one message, without its NUL.
    public var messageBytes: Int
    /// Bytes that may wait to be sent.
    public var queuedBytes: Int
    /// Bytes of a message that is sent while nothing else waits. It may wait beside what `queuedBytes` bounds.
    public var aloneBytes: Int
    /// Messages that are delivered before other descriptors of the loop get a turn.
    public var messagesPerTurn: Int
    /// Descriptors that may come with one message. With 0 the kernel closes what comes, and the stream ends.
    public var descriptors: Int

    /// A MiB for a message and for what waits, none beside that, 8 messages a turn, no descriptors, unless given.
    public init(
      messageBytes: Int = 1 << 20, queuedBytes: Int = 1 << 20, aloneBytes: Int = 0, messagesPerTurn: Int = 8,
      descriptors: Int = 0
    ) {
      self.messageBytes = messageBytes
      self.queuedBytes = queuedBytes
      self.aloneBytes = aloneBytes
      self.messagesPerTurn = messagesPerTurn
      self.descriptors = descriptors
    }
  }

  /// Why a stream is over.
  public enum End: Hashable, Sendable {
    /// The peer closed its side, and everything was answered.
    case peerClosed
    /// This side closed it.
    case closed
    /// The system refused to read or write.
    case failed(Errno)
    /// The peer sent more than `Limits.messageBytes` without a NUL.
    case messageTooLong
    /// The peer sent more descriptors than `Limits.descriptors` allows.
    case unexpectedDescriptors
    /// The peer does not read, and too much waits for it.
    case tooSlow
  }

  private let socket: FileDescriptor
  private let limits: Limits
  private unowned let loop: EventLoop
  private var watch: EventLoop.Watch?

  private var incoming = MessageInbox()

  private var outgoing: [(bytes: ArraySlice<UInt8>, descriptors: [SharedDescriptor])] = []
  private var queuedBytes = 0
  /// Bytes of the message that nothing waited before, until nothing waits again.
  private var aloneBytes = 0

  private var isPaused = false
  /// Bytes came while it was paused.
  private var hasBytesWaiting = false
  private var isDelivering = false
  /// More is delivered in the loop's next turn. Until then nothing more is read.
  private var willDeliver = false
  /// How the peer's side has ended. What came before that is delivered first.
  private var ending: End?
  /// The peer takes nothing any more. What it has sent is read to its end all the same.
  private var sendFailure: End?
  private var isOver = false

  /// A message came, without its NUL.
  public var onMessage: ((ArraySlice<UInt8>, [SharedDescriptor]) -> Void)?
  /// Nothing comes any more. Called once, unless `close()` was.
  public var onEnd: ((End) -> Void)?
  /// Something could not be sent at once (true), or everything was sent (false).
  public var onBlocked: ((Bool) -> Void)?

  /// Takes over a connected socket, which it makes non-blocking.
  public init(_ socket: consuming FileDescriptor, on loop: EventLoop, limits: Limits = Limits()) throws(Errno)
  {
    try socket.setNonBlocking()
    let raw = socket.rawValue
    self.socket = socket
    self.loop = loop
    self.limits = limits
    watch = try loop.watch(raw, for: .readable) { [unowned self] readiness in self.ready(readiness) }
  }

  deinit { watch?.cancel() }

  /// The bytes that wait for the peer.
  public var waitingBytes: Int { queuedBytes }

  // MARK: Sending

  /// Sends a message, with its NUL, or queues it. `descriptors` go with its first byte, in a sendmsg of its own.
  public func send(_ message: [UInt8], descriptors: [SharedDescriptor] = []) {
    guard !isOver, sendFailure == nil else { return }
    let wasEmpty = outgoing.isEmpty
    var sent = 0
    if wasEmpty {
      do throws(Errno) {
        sent = try Socket.send(message[...], descriptors: descriptors, to: socket.rawValue)
      } catch .again {
        // It waits.
      } catch {
        return failToSend(.failed(error))
      }
      // Nearly always: nothing is to be remembered.
      guard sent < message.count else { return }
    }
    queuedBytes += message.count - sent
    if wasEmpty, message.count - sent <= limits.aloneBytes { aloneBytes = message.count - sent }
    outgoing.append((message[sent...], sent == 0 ? descriptors : []))
    updateInterest()
    if !isOver, queuedBytes - aloneBytes > limits.queuedBytes { end(.tooSlow) }
    if !isOver, wasEmpty, !outgoing.isEmpty { onBlocked?(true) }
  }

  private func flush() {
    while let next = outgoing.first {
      do throws(Errno) {
        let sent = try Socket.send(next.bytes, descriptors: next.descriptors, to: socket.rawValue)
        queuedBytes -= sent
        if sent == next.bytes.count {
          outgoing.removeFirst()
          aloneBytes = 0
        } else {
          outgoing[0] = (next.bytes.dropFirst(sent), [])
          if aloneBytes > 0 { aloneBytes -= sent }
        }
      } catch .again {
        break
      } catch {
        return failToSend(.failed(error))
      }
    }
    updateInterest()
  }

  private func failToSend(_ failure: End) {
    sendFailure = failure
    outgoing = []
    queuedBytes = 0
    // Whoever has paused does not want what is left.
    if isPaused { return end(failure) }
    updateInterest()
    deliverSoon()
  }

  // MARK: Receiving

  /// No message is delivered until `resume()`; the peer's bytes wait in its socket.
  ///
  /// The interest in them ends when the first ones come: most pauses are over before that, and cost no system call.
  public func pause() { isPaused = true }

  /// Messages are delivered again, from the loop's next turn on.
  public func resume() {
    guard isPaused else { return }
    isPaused = false
    hasBytesWaiting = false
    updateInterest()
    // Not from here: whoever resumes is often inside a handler.
    if !isDelivering, incoming.hasMessage || ending != nil || sendFailure != nil { deliverSoon() }
  }

  private func deliverSoon() {
    guard !willDeliver else { return }
    willDeliver = true
    loop.schedule(after: .zero) { [weak self] in
      guard let self else { return }
      willDeliver = false
      guard !isOver, !isPaused else { return }
      if sendFailure != nil, ending == nil, !incoming.hasMessage { receive() } else { deliver() }
    }
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) {
      flush()
      if !isOver, outgoing.isEmpty { onBlocked?(false) }
    }
    if !isOver, ending == nil, readiness.contains(.readable) {
      if isPaused {
        hasBytesWaiting = true
        updateInterest()
      } else if !willDeliver {
        receive()
      }
    }
    guard !isOver else { return }
    if !readiness.isDisjoint(with: .hangUp), isPaused || ending != nil && !incoming.hasMessage {
      end(ending ?? .peerClosed)
    } else {
      endIfDone()
    }
  }

  private func receive() {
    do throws(Errno) {
      let got = try Socket.receive(
        into: &loop.buffer, from: socket.rawValue, maximumDescriptors: limits.descriptors)
      if got.descriptorsLost { return end(.unexpectedDescriptors) }
      if got.count == 0 {
        ending = .peerClosed
        updateInterest()
      } else {
        incoming.add(loop.buffer[..<got.count], got.descriptors)
      }
    } catch .again {
      if let sendFailure { end(sendFailure) }
      return
    } catch {
      ending = .failed(error)
      updateInterest()
    }
    deliver()
  }

  private func deliver() {
    guard !isOver, !isDelivering else { return }
    isDelivering = true
    var delivered = 0
    while !isPaused, !isOver {
      if delivered == limits.messagesPerTurn {
        if incoming.hasMessage { deliverSoon() }
        break
      }
      guard let message = incoming.next() else { break }
      delivered += 1
      if message.bytes.count > limits.messageBytes {
        isDelivering = false
        return end(.messageTooLong)
      }
      guard message.descriptors.count <= limits.descriptors else {
        isDelivering = false
        return end(.unexpectedDescriptors)
      }
      onMessage?(message.bytes, message.descriptors)
    }
    isDelivering = false
    guard !isOver else { return }
    incoming.compact()
    if !incoming.hasMessage {
      if incoming.count > limits.messageBytes { return end(.messageTooLong) }
      // All of them belong to the message whose end has not come.
      if incoming.descriptorCount > limits.descriptors { return end(.unexpectedDescriptors) }
    }
    endIfDone()
    if !isOver, sendFailure != nil, !isPaused { deliverSoon() }
  }

  private func endIfDone() {
    guard let ending, !isPaused, !incoming.hasMessage else { return }
    guard outgoing.isEmpty || ending != .peerClosed else { return }
    end(ending)
  }

  private func updateInterest() {
    guard !isOver else { return }
    var interest: Readiness = []
    if !hasBytesWaiting, ending == nil { interest.insert(.readable) }
    if !outgoing.isEmpty { interest.insert(.writable) }
    watch?.setInterest(interest)
  }

  // MARK: Ending

  /// Ends the stream. What waits to be sent is lost. `onEnd` is not called.
  public func close() {
    onEnd = nil
    end(.closed)
  }

  private func end(_ end: End) {
    guard !isOver else { return }
    isOver = true
    watch?.cancel()
    watch = nil
    incoming = MessageInbox()
    outgoing = []
    let handler = onEnd
    onMessage = nil
    onEnd = nil
    onBlocked = nil
    handler?(end)
  }
}
