/// A message on a connection on which both sides call: a call has a method, a reply has none.
public enum VarlinkMessage: Sendable {
  /// The peer wants something.
  case call(VarlinkCall)
  /// The peer answers.
  case reply(VarlinkReply)

  /// Reads a message, without the NUL that ends it.
  ///
  /// - Throws: `VarlinkProtocolError` if the connection must be closed.
  public init(decoding bytes: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
    let envelope = try Envelope(bytes.span, kind: "message")
    if envelope.contains("method") {
      self = .call(try VarlinkCall(envelope))
    } else {
      self = .reply(try VarlinkReply(envelope))
    }
  }
}
