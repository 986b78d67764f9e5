internal import LinuxSystem
internal import Testing

@testable internal import ExtensionFoundation

/// When an extension that ended is started again.
@Suite struct RestartTests {
  @Test func pausesDoubleUpToTheLongest() {
    var pauses = RestartPauses()
    let taken = (0..<10).map { _ in pauses.next() / Duration.milliseconds(1) }
    #expect(taken == [200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000])
  }

  @Test func aLongLifeBeginsThemAnew() {
    var pauses = RestartPauses()
    _ = (pauses.next(), pauses.next())
    let began = MonotonicTime.now
    pauses.noteLife(from: began, to: began + .seconds(30))
    #expect(pauses.next() == .milliseconds(800))
    pauses.noteLife(from: began, to: began + .seconds(31))
    #expect(pauses.next() == .milliseconds(200))
  }
}
