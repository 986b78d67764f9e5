public import LinuxSystem

/// The service's side of one Varlink connection: UAPI.20, "Wire Protocol".
///
/// One call at a time: the next one is taken up when the one before has its last reply, so that replies keep their
/// order and a peer can't make the service remember more than one. org.varlink.service is answered here.
public final class ServiceConnection {
  private let stream: MessageStream
  private let description: ServiceDescription
  /// The call that waits for its last reply.
  private var current: VarlinkCall?
  /// Counts calls; names the current one.
  public private(set) var serial: UInt64 = 0

  /// A call for one of the service's own interfaces. Answer it with `reply`.
  public var onCall: ((VarlinkCall) -> Void)?
  /// The connection is over, and why, if it was the peer's fault.
  public var onEnd: ((String?) -> Void)?
  /// The peer does not read, and replies wait; with false, they are sent.
  public var onBlocked: ((Bool) -> Void)?

  /// Serves a connected socket on a loop, from whose thread all closures are called. Throws what the system says where
  /// the loop cannot watch the socket.
  public init(
    _ socket: consuming FileDescriptor, on loop: EventLoop, limits: MessageStream.Limits,
    description: ServiceDescription
  ) throws(Errno) {
    self.description = description
    stream = try MessageStream(socket, on: loop, limits: limits)
    stream.onMessage = { [unowned self] message, _ in self.receive(message) }
    stream.onEnd = { [unowned self] end in self.finish(end) }
    stream.onBlocked = { [unowned self] isBlocked in
      if !isBlocked, self.current == nil { self.stream.resume() }
      self.onBlocked?(isBlocked)
    }
  }

  /// Sends a reply to the current call, with its descriptors. One without `continues` is the last.
  /// A call that is oneway gets none: UAPI.20, "oneway".
  public func reply(_ reply: VarlinkReply, descriptors: [SharedDescriptor] = []) {
    guard let current else { return }
    if !current.oneway { stream.send(reply.encoded(), descriptors: descriptors) }
    if !reply.continues {
      self.current = nil
      // Whoever does not read is not answered further; so a long answer is the only one that waits.
      if stream.waitingBytes == 0 { stream.resume() }
    }
  }

  /// Sends a reply to the current call that others follow, encoded already, such as one that many connections get.
  public func tell(_ encoded: [UInt8]) {
    if let mode = current?.mode, mode != .oneway { stream.send(encoded) }
  }

  /// Ends the connection. What was not sent is lost.
  public func close() { stream.close() }

  private func receive(_ message: ArraySlice<UInt8>) {
    let call: VarlinkCall
    do {
      call = try VarlinkCall(decoding: message)
    } catch {
      let handler = onEnd
      stream.close()
      handler?(error.description)
      return
    }
    current = call
    serial += 1
    stream.pause()
    if call.isCall(of: ServiceInterface.self) {
      reply(description.reply(to: call))
    } else if !description.interfaces.contains(where: { call.isCall(of: $0) }) {
      reply(ServiceInterface.InterfaceNotFound(interface: String(call.interface)).reply)
    } else {
      onCall?(call)
    }
  }

  private func finish(_ end: MessageStream.End) {
    let cause: String? =
      switch end {
      case .peerClosed, .closed, .failed(.connectionReset), .failed(.brokenPipe): nil
      case .failed(let errno): errno.description
      case .messageTooLong: "a message was longer than the limit"
      case .unexpectedDescriptors: "descriptors were sent to a service that takes none"
      case .tooSlow: "it did not read what was sent"
      }
    onEnd?(cause)
  }
}
