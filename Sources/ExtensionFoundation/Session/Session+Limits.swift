internal import Varlink

extension Session {
  /// What bounds a session, whatever its peer does.
  struct Limits {
    /// Bytes of one message.
    var messageBytes = 16 << 20
    /// Bytes that wait for the peer before a sender waits, too.
    var queuedBytes = 256 << 10
    /// Calls of the peer that wait to be served before no more is read.
    var waitingCalls = IncomingCalls.Load(calls: 64, bytes: 16 << 20, descriptors: 64)
    /// The same while this side waits for a reply, which comes behind the calls that the peer made before it.
    var waitingCallsBeforeReply = IncomingCalls.Load(calls: 1024, bytes: 64 << 20, descriptors: 256)
    /// Descriptors that come with one message.
    var descriptors = 16
    /// Elements of a stream that wait for their reader before no more is read, and their bytes.
    var waitingElements = 16
    var waitingElementBytes = 16 << 20

    /// Why a session is over whose stream has ended so.
    func error(_ end: MessageStream.End) -> AppExtensionError {
      switch end {
      case .peerClosed, .closed:
        AppExtensionError(.connectionClosed, "the other side has closed the connection")
      case .failed(let errno): AppExtensionError(.connectionClosed, "the connection failed: \(errno)")
      case .messageTooLong:
        AppExtensionError(.malformedMessage, "the peer sent a message of more than \(messageBytes) bytes")
      case .unexpectedDescriptors:
        AppExtensionError(
          .malformedMessage, "the peer sent more descriptors than \(descriptors) in a message")
      case .tooSlow: AppExtensionError(.connectionClosed, "the message is larger than \(messageBytes) bytes")
      }
    }
  }
}
