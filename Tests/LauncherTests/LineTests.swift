internal import LinuxSystem
internal import Testing

@testable internal import Launcher

struct LineTests {
  @Test func `Lines may come in pieces`() {
    var reader = LineReader()
    #expect(reader.read(Array("one\ntw".utf8)) == ["one"])
    #expect(reader.read(Array("o\n\nthree".utf8)) == ["two", ""])
    #expect(reader.finish() == "three")
    #expect(reader.finish() == nil)
  }

  @Test func `The tail fits into a packet, whatever was written`() {
    var tail = LineTail()
    for _ in 0..<100 { tail.add(String(repeating: "\"", count: LineReader.limit)) }
    let size = tail.lines.reduce(0) { $0 + encodedSize($1) }
    #expect(size <= LineTail.byteLimit)
    #expect(tail.lines.count == 18)
  }

  @Test func `So many lines go through in a second, and the others are counted`() {
    var rate = RateLimit()
    let start = MonotonicTime(nanoseconds: 1)
    let admitted = (0..<500).count { _ in rate.admit(now: start) }
    #expect(admitted == RateLimit.linesPerSecond)
    #expect(rate.takeDropped() == 500 - RateLimit.linesPerSecond)
    #expect(rate.takeDropped() == 0)
    let next = rate.admit(now: start + .seconds(1))
    #expect(next)
  }

  @Test func `Nonsense in a report is passed over`() {
    var report = ProgramReport()
    for line in ["executed", "nonsense", "exit", "exit x y", "signal 11 1"] { report.read(line) }
    #expect(report.executed)
    #expect(report.exitStatus == nil)
    #expect(report.signal == 11)
    #expect(report.coreDumped == true)
  }
}
