internal import LinuxSystem
internal import Testing

@testable internal import ExtensionFoundation

/// Bytes in bulk, beside the calls of a connection.
@Suite struct FramesTests {
  private typealias Frame = AppExtensionFrames.Frame

  /// One end, and what its peer has of it: a bare socket.
  private static func withRawPeer() throws -> (AppExtensionFrames, SharedDescriptor) {
    let (first, second) = try Socket.pair()
    return (AppExtensionFrames(first), second)
  }

  /// Without keeping a thread of the pool from whoever is to write.
  private static func untilReadable(_ socket: SharedDescriptor) async throws {
    while try !Poll.readable(socket.rawValue, deadline: .now) { await Task.yield() }
  }

  @Test(.timeLimit(.minutes(10))) func `Frames go both ways over a connection, whole and in order`()
    async throws
  {
    let (first, second) = try Socket.pair()
    let host = AppExtensionConnection(first, activationID: "a", sceneID: nil)
    let peer = AppExtensionConnection(second, activationID: "a", sceneID: nil)
    peer.framesHandler = { frames in
      Task { for try await frame in frames { try await frames.send(frame) } }
    }
    peer.resume()
    host.resume()
    let frames = try await host.openFrames()
    let sizes = [0, 1, 15, 16, 4096, 70_000, 3 << 20]
    let sender = Task {
      for (number, size) in sizes.enumerated() {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
        try await frames.send(
          Frame(kind: 7, id: UInt64.max - UInt64(number), bytes: bytes, descriptors: [first]))
      }
    }
    var iterator = frames.makeAsyncIterator()
    for (number, size) in sizes.enumerated() {
      let frame = try #require(try await iterator.next())
      #expect(frame.kind == 7 && frame.id == UInt64.max - UInt64(number))
      #expect(frame.bytes == (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
      #expect(frame.descriptors.count == 1)
    }
    try await sender.value
    peer.invalidate()
  }

  @Test(.timeLimit(.minutes(10))) func `A peer without a use for frames says so`() async throws {
    let (first, second) = try Socket.pair()
    let host = AppExtensionConnection(first, activationID: "a", sceneID: nil)
    let peer = AppExtensionConnection(second, activationID: "a", sceneID: nil)
    peer.resume()
    host.resume()
    #expect(await errorCode { _ = try await host.openFrames() } == .notImplemented)
    withExtendedLifetime(peer) {}
  }

  @Test(.timeLimit(.minutes(10))) func `The end comes after what was sent`() async throws {
    let (frames, peer) = try Self.withRawPeer()
    try peer.descriptor.write(all: [3, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + [1, 2, 3])
    Socket.shutdownWrites(peer.descriptor)
    var iterator = frames.makeAsyncIterator()
    #expect(try await iterator.next()?.bytes == [1, 2, 3])
    #expect(try await iterator.next() == nil)
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ([3, 0, 0], AppExtensionError.Code.connectionClosed),
      ([3, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + [1, 2], .connectionClosed),
      ([0, 0, 0, 128] + [UInt8](repeating: 0, count: 12), .malformedMessage),
    ])
  func `What is no frame is an error`(_ bytes: [UInt8], _ code: AppExtensionError.Code) async throws {
    let (frames, peer) = try Self.withRawPeer()
    try peer.descriptor.write(all: bytes)
    Socket.shutdownWrites(peer.descriptor)
    #expect(
      await errorCode {
        var iterator = frames.makeAsyncIterator()
        _ = try await iterator.next()
      } == code)
  }

  @Test(.timeLimit(.minutes(10))) func `A reader that is cancelled in a frame can read it later`()
    async throws
  {
    let (frames, peer) = try Self.withRawPeer()
    // Whether the cancellation comes before, while or after it reads what is there: the frame is whole.
    for round in 0..<200 {
      try peer.descriptor.write(all: [4, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + [1, 2])
      let reader = Task {
        var iterator = frames.makeAsyncIterator()
        _ = try await iterator.next()
      }
      for _ in 0..<round % 20 { await Task.yield() }
      reader.cancel()
      await #expect(throws: CancellationError.self) { try await reader.value }
      try peer.descriptor.write(all: [3, 4])
      var iterator = frames.makeAsyncIterator()
      #expect(try await iterator.next()?.bytes == [1, 2, 3, 4])
    }
  }

  @Test(.timeLimit(.minutes(10))) func `A sender waits for a reader, and learns of its end`() async throws {
    let (frames, peer) = try Self.withRawPeer()
    let sender = Task { try await frames.send(Frame(bytes: [UInt8](repeating: 1, count: 8 << 20))) }
    // The socket takes less than that: the rest waits.
    try await Self.untilReadable(peer)
    Socket.shutdown(peer.descriptor)
    #expect(await errorCode { try await sender.value } == .connectionClosed)
    #expect(
      await errorCode { try await frames.send(Frame(bytes: [UInt8](repeating: 1, count: 17 << 20))) }
        == .limitReached)
  }

  @Test(.timeLimit(.minutes(10))) func `Closing ends whoever waits`() async throws {
    let (frames, peer) = try Self.withRawPeer()
    let reader = Task {
      var iterator = frames.makeAsyncIterator()
      return try await iterator.next()
    }
    let sender = Task { try await frames.send(Frame(bytes: [UInt8](repeating: 1, count: 8 << 20))) }
    try await Self.untilReadable(peer)
    frames.close()
    #expect(await errorCode { _ = try await reader.value } == .connectionClosed)
    #expect(await errorCode { try await sender.value } == .connectionClosed)
    withExtendedLifetime(peer) {}
  }

  @Test(.timeLimit(.minutes(10))) func `More descriptors than a frame may have are refused, in parts too`()
    async throws
  {
    let (frames, peer) = try Self.withRawPeer()
    let descriptors = Array(repeating: peer, count: 16)
    for _ in 0..<2 { _ = try Socket.send([0], descriptors: descriptors, to: peer.rawValue) }
    try peer.descriptor.write(all: [UInt8](repeating: 0, count: 14))
    let code = await errorCode {
      var iterator = frames.makeAsyncIterator()
      _ = try await iterator.next()
    }
    #expect(code == .malformedMessage)
  }

  @Test(.timeLimit(.minutes(10)))
  func `A peer that closes without having read everything has ended, no more`()
    async throws
  {
    let (frames, first) = try Self.withRawPeer()
    var peer: SharedDescriptor? = first
    try await frames.send(Frame(bytes: [1]))
    try peer?.descriptor.write(all: [UInt8](repeating: 0, count: 16))
    _ = consume first
    peer = nil
    var iterator = frames.makeAsyncIterator()
    #expect(try await iterator.next()?.bytes == [])
    #expect(try await iterator.next() == nil)
  }

  @Test(.timeLimit(.minutes(10))) func `A sender that waits for its turn can be cancelled`() async throws {
    let (frames, peer) = try Self.withRawPeer()
    let size = 8 << 20
    let first = Task { try await frames.send(Frame(bytes: [UInt8](repeating: 1, count: size))) }
    try await Self.untilReadable(peer)
    for round in 0..<20 {
      let second = Task { try await frames.send(Frame(id: 2, bytes: [2])) }
      for _ in 0..<round { await Task.yield() }
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
    }
    // One that has begun goes on: the peer could not tell where the next one begins.
    first.cancel()
    let third = Task { try await frames.send(Frame(id: 3, bytes: [3])) }
    let other = AppExtensionFrames(peer)
    var iterator = other.makeAsyncIterator()
    #expect(try await iterator.next()?.bytes.count == size)
    #expect(try await iterator.next()?.id == 3)
    try await first.value
    try await third.value
  }
}
