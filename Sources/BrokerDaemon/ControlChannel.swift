internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// The socket between broker and one instance: io.extensiond.Extension, with the broker as the caller.
///
/// A broker that dies loses the answers that it has taken, and nothing depends on them: what was being started or
/// connected is asked for anew, and each answer says which call it belongs to.
final class ControlChannel {
  /// No message of the extension may be longer.
  static let replyLimit = 64 << 10
  /// What may wait for an extension that does not read. It holds a descriptor with each hundred bytes.
  static let queueLimit = 32 << 10

  enum Incoming {
    case reply(VarlinkReply)
    case malformed(String)
    /// A hint: the launcher's report says whether the instance has ended.
    case closed
  }

  private let stream: MessageStream
  /// The broker before may have taken the beginning of the first message.
  private var mayBeTorn: Bool
  private let onIncoming: (Incoming) -> Void

  /// `restored`: another broker has used the socket before.
  init(
    _ socket: SharedDescriptor, restored: Bool, on loop: EventLoop, onIncoming: @escaping (Incoming) -> Void
  ) throws(Errno) {
    mayBeTorn = restored
    self.onIncoming = onIncoming
    stream = try MessageStream(
      try socket.descriptor.duplicate(), on: loop,
      limits: .init(messageBytes: Self.replyLimit, queuedBytes: Self.queueLimit))
    stream.onMessage = { [unowned self] message, _ in self.receive(message) }
    stream.onEnd = { [unowned self] end in self.finish(end) }
  }

  func close() { stream.close() }

  func send(_ call: VarlinkCall, descriptors: [SharedDescriptor] = []) {
    stream.send(call.encoded(), descriptors: descriptors)
  }

  private func receive(_ message: ArraySlice<UInt8>) {
    let isFirst = mayBeTorn
    mayBeTorn = false
    do throws(VarlinkProtocolError) {
      onIncoming(.reply(try VarlinkReply(decoding: message)))
    } catch {
      // The end of a message is never a message: a brace is closed that was not opened.
      guard !isFirst else { return }
      stream.close()
      onIncoming(.malformed("it sent something that is not Varlink: \(error)"))
    }
  }

  private func finish(_ end: MessageStream.End) {
    switch end {
    case .messageTooLong: onIncoming(.malformed("it sent a message of more than \(Self.replyLimit) bytes"))
    case .unexpectedDescriptors: onIncoming(.malformed("it sent descriptors with an answer"))
    case .tooSlow: onIncoming(.malformed("it does not read what it is told"))
    case .peerClosed, .closed, .failed: onIncoming(.closed)
    }
  }
}
