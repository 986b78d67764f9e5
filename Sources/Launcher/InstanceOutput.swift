internal import LauncherProtocol
internal import LinuxSystem

/// Standard error of one instance: kept for the report of its end, passed on to the journal and the broker.
final class InstanceOutput {
  /// The lines of one event, in bytes of JSON.
  private static let batchLimit = 24 << 10
  /// How long lines wait for others.
  private static let delay: Duration = .milliseconds(20)

  private let fields: [(name: String, value: String)]
  private let journal: JournalSocket
  private let loop: EventLoop
  /// false: it did not go.
  private let send: (_ lines: [String], _ dropped: Int) -> Bool

  private var reader = LineReader()
  private var tail = LineTail()
  private var rate = RateLimit()
  private var batch: [String] = []
  private var batchSize = 0
  /// Left out before the first line of the batch.
  private var droppedBefore = 0
  private var timer: (timer: EventLoop.Timer, time: MonotonicTime)?

  init(
    fields: [(name: String, value: String)], journal: JournalSocket, loop: EventLoop,
    send: @escaping (_ lines: [String], _ dropped: Int) -> Bool
  ) {
    self.fields = fields
    self.journal = journal
    self.loop = loop
    self.send = send
  }

  var lastLines: [String] { tail.lines }

  func read(_ bytes: [UInt8]) {
    for line in reader.read(bytes) { take(line) }
    if !batch.isEmpty || rate.dropped > 0 { flush(after: Self.delay) }
  }

  /// Nothing more will come.
  func finish() {
    if let line = reader.finish() { take(line) }
    flush()
    // What was left out after the last line.
    if rate.dropped > 0 { flush() }
    timer?.timer.cancel()
  }

  private func take(_ line: String) {
    tail.add(line)
    guard rate.admit(now: .now) else { return }
    if rate.dropped > 0 || batchSize + encodedSize(line) > Self.batchLimit { flush() }
    if batch.isEmpty { takeDropped() }
    batch.append(line)
    batchSize += encodedSize(line)
    journal.write(line, priority: 6, fields: fields)
  }

  private func takeDropped() {
    let dropped = rate.takeDropped()
    guard dropped > 0 else { return }
    droppedBefore += dropped
    journal.write("\(dropped) lines were left out: they came too fast", priority: 5, fields: fields)
  }

  private func flush(after delay: Duration) {
    let time = MonotonicTime.now + delay
    if let timer, timer.time <= time { return }
    timer?.timer.cancel()
    timer = (loop.schedule(at: time) { [weak self] in self?.flush() }, time)
  }

  private func flush() {
    timer?.timer.cancel()
    timer = nil
    if batch.isEmpty { takeDropped() }
    guard !batch.isEmpty || droppedBefore > 0 else { return }
    // Without a broker nobody misses them. What a busy broker has no room for counts as left out.
    let lost = send(batch, droppedBefore) ? 0 : batch.count + droppedBefore
    batch = []
    batchSize = 0
    droppedBefore = lost
    // The count is told even if no line follows.
    if lost > 0 || rate.dropped > 0 { flush(after: .seconds(1)) }
  }
}
