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

  @Test func `What goes to the journal keeps its lines in one field`() {
    let bytes = JournalSocket.encoded([("MESSAGE", "one\ntwo"), ("PRIORITY", "4")])
    #expect(String(decoding: bytes, as: UTF8.self) == "MESSAGE\n\u{7}\0\0\0\0\0\0\0one\ntwo\nPRIORITY=4\n")
  }
}
