internal import LinuxSystem
internal import Testing

struct SystemTests {
  /// What handles a watched descriptor may be all that keeps it open, as with signals.
  @Test func `A watch can be cancelled whose handler alone owns its descriptor`() throws {
    let loop = try EventLoop()
    let signals = try Signals.watch([Signals.windowChanged], on: loop) { _ in }
    signals.cancel()
    // It is gone, and the loop goes on.
    try loop.turn(limit: .zero)
  }

  @Test func `Descriptors that come beyond the room for them are closed`() throws {
    let (sender, receiver) = try Socket.pair()
    var pipes = try (0..<3).map { _ in try Pipe.make() }
    let sent = try Socket.send([1], descriptors: pipes.map(\.writing), to: sender.rawValue)
    try #require(sent == 1)
    let readers = pipes.map(\.reading)
    pipes = []
    var buffer = [UInt8](repeating: 0, count: 8)
    let got = try Socket.receive(into: &buffer, from: receiver.rawValue, maximumDescriptors: 1)
    #expect(got.count == 1 && got.descriptors.count == 1 && got.descriptorsLost)
    // Who has no writer any more reads the end.
    let ended = try readers.map { try Poll.readable($0.rawValue, deadline: .now) }
    withExtendedLifetime(got) {}
    #expect(ended == [false, true, true])
  }

  @Test func `A process pretends nothing by its name`() {
    let numbers = (4...52).map(String.init).joined(separator: " ")
    let process = ProcessStatistics("7 (x) Z 1 (y) S \(numbers)\n")
    #expect(process?.name == "x) Z 1 (y" && process?[22] == 22 && process?[52] == 52)
    #expect(process?.isEnding == false)
    #expect(ProcessStatistics("7 (x) Z \(numbers)")?.isEnding == true)
    // PF_EXITING.
    #expect(ProcessStatistics("7 (x) S 4 5 6 7 8 4")?.isEnding == true)
    #expect(process?[53] == nil && ProcessStatistics("7 (x") == nil)
  }

  @Test func `What goes to the journal keeps its lines in one field`() {
    let bytes = JournalSocket.encoded([("MESSAGE", "one\ntwo"), ("PRIORITY", "4")])
    #expect(String(decoding: bytes, as: UTF8.self) == "MESSAGE\n\u{7}\0\0\0\0\0\0\0one\ntwo\nPRIORITY=4\n")
  }
}
