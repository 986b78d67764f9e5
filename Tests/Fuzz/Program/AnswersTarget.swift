import BrokerCore
import LinuxSystem
import Varlink

@testable import BrokerDaemon

extension FuzzTarget {
  /// What an extension writes on its control socket. The first byte says whether another broker has read from it before, and
  /// how long the pieces are. Each answer is told once and in order, and what it means names a call of this broker; what
  /// breaks the protocol is told once, and nothing after it.
  static let answers = FuzzTarget("answers") { bytes in
    guard let first = bytes.first else { return }
    let restored = first & 1 != 0
    let sent = Array(bytes.dropFirst())
    let peer = must("connecting") { try Peer(sent, piece: Int(first >> 1) + 1) }
    var told: [VarlinkReply] = []
    var faults = 0
    var isOver = false
    let channel = must("connecting") {
      try ControlChannel(
        SharedDescriptor(try peer.connection()), restored: restored, on: peer.loop
      ) { incoming in
        expect(!isOver, "something came after the end")
        switch incoming {
        case .reply(let reply): told.append(reply)
        case .malformed:
          faults += 1
          isOver = true
        case .closed: isOver = true
        }
      }
    }
    must("feeding a channel") {
      try peer.feed {
      } until: {
        isOver
      }
    }
    channel.close()

    var expected: [VarlinkReply] = []
    var isWhole = true
    for (index, message) in sent.split(separator: 0, omittingEmptySubsequences: false).dropLast().enumerated()
    {
      guard message.count <= ControlChannel.replyLimit else { isWhole = false; break }
      if let reply = try? VarlinkReply(decoding: message) {
        expected.append(reply)
      } else if index > 0 || !restored {
        isWhole = false
        break
      }
    }
    expect(told == expected, "it told \(told.count) answers of \(expected.count)")
    expect(isWhole || faults == 1, "what is no answer was not told")
    for reply in told { check(ExtensionReply.event(reply, from: "i", generation: "g")) }
  }

  private static func check(_ event: Event?) {
    switch event {
    case nil: break
    case .answered(let instance, let call, _, _), .sceneUnknown(let instance, let call, _),
      .rejected(let instance, let call, _):
      expect(instance == "i" && call.hasPrefix("g."), "an answer to nobody's call: \(call)")
    case .misbehaved(let instance, _): expect(instance == "i", "another instance")
    case let event?: expect(false, "it means \(event)")
    }
  }
}
