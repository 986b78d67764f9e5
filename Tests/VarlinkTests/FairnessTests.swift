import LinuxSystem
import Testing
import Varlink

/// Who sends much at once takes no turns from others.
struct FairnessTests {
  @Test func `Another's message waits for one message of a flood, and not for all that is there`() throws {
    let loop = try EventLoop()
    let (flooding, flooded) = try Socket.pair()
    let (other, served) = try Socket.pair()
    let limits = MessageStream.Limits(messagesPerTurn: 1)
    let flood = try MessageStream(try flooded.descriptor.duplicate(), on: loop, limits: limits)
    let quiet = try MessageStream(try served.descriptor.duplicate(), on: loop, limits: limits)
    var order: [String] = []
    flood.onMessage = { message, _ in
      order.append(String(decoding: message, as: UTF8.self))
      // It comes while the first is handled.
      if order.count == 1 { _ = try? Socket.send(Array("other\0".utf8)[...], to: other.rawValue) }
    }
    quiet.onMessage = { _, _ in order.append("other") }
    let messages = (1...20).map { "\($0)\0" }.joined()
    _ = try Socket.send(Array(messages.utf8)[...], to: flooding.rawValue)
    let deadline = MonotonicTime.now + .seconds(60)
    while order.count < 21, MonotonicTime.now < deadline { try loop.turn(limit: .seconds(1)) }
    #expect(order.count == 21)
    let place = try #require(order.firstIndex(of: "other"))
    #expect(place == 1, "\(order)")
    // The flood itself comes whole, and in order.
    #expect(order.filter { $0 != "other" } == (1...20).map { "\($0)" })
  }
}
