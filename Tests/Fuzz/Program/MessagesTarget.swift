import ExtensionInterfaces
import LinuxSystem
import Varlink

extension FuzzTarget {
  /// A stream of messages that comes in pieces. The first byte says how long these are; the second, how often the reader
  /// pauses. It delivers what stands between the NULs, whole and in order, up to the first message that is too long.
  static let messages = FuzzTarget("messages") { bytes in
    guard bytes.count > 2 else { return }
    let (piece, pauses) = (Int(bytes[0]) + 1, bytes[1])
    let sent = Array(bytes[2...])
    let limits = MessageStream.Limits(messageBytes: 512, messagesPerTurn: 3)
    var parts = sent.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    let isTooLong = parts.contains { $0.count > limits.messageBytes }
    parts = Array(parts.dropLast().prefix { $0.count <= limits.messageBytes })

    let peer = must("connecting") { try Peer(sent, piece: piece) }
    let stream = must("connecting") {
      try MessageStream(peer.connection(), on: peer.loop, limits: limits)
    }
    var delivered: [[UInt8]] = []
    var end: MessageStream.End?
    stream.onMessage = { message, _ in
      delivered.append(Array(message))
      if pauses != 0, delivered.count % Int(pauses) == 0 { stream.pause() }
    }
    stream.onEnd = { end = $0 }
    must("feeding a stream") {
      try peer.feed {
        stream.resume()
      } until: {
        end != nil
      }
    }
    expect(end == (isTooLong ? .messageTooLong : .peerClosed), "it ended with \(String(describing: end))")
    expect(delivered == parts, "it delivered \(delivered.count) messages of \(parts.count)")
    for message in delivered { decode(message) }
  }

  /// Whatever is a call or a reply is the same after it was written and read.
  private static func decode(_ message: [UInt8]) {
    if let reply = try? VarlinkReply(decoding: message) {
      expect(
        must("reading a reply") { try VarlinkReply(decoding: reply.encoded().dropLast()) } == reply, "a reply"
      )
      _ = try? BrokerInterface.Failure(reply)
      _ = try? AdminInterface.Failure(reply)
      _ = try? ConnectionInterface.Failure(reply)
    }
    guard let call = try? VarlinkCall(decoding: message) else { return }
    expect(must("reading a call") { try VarlinkCall(decoding: call.encoded().dropLast()) } == call, "a call")
    _ = try? BrokerInterface.Call(call)
    _ = try? AdminInterface.Call(call)
    _ = try? ExtensionInterface.Call(call)
    _ = try? ConnectionInterface.Call(call)
  }
}
