import CBench
import ExtensionFoundation
import LinuxSystem

// What an extension in Swift costs by itself, and bytes in bulk.

extension Bench {
  /// Start until it is answered, without broker and sandbox.
  func extensionStart() throws -> Row {
    var row = Row(id: "extension.start")
    row.goals = [.floor(1.5)]
    for _ in 0..<150 {
      row.floor.append(unsafe Double(cbench_run_once(programs + "/bench-line")) / 1000)
      row.samples.append(try startOnce { _ in })
    }
    row.note = "floor: a Swift program that prints one line, from its start to its end; both static"
    return row
  }

  /// What one holds that has answered Start.
  func extensionMemory() throws -> Row {
    var row = Row(id: "extension.memory", unit: "KiB")
    row.goals = [.value(8192)]
    var anonymous: [Double] = []
    for _ in 0..<5 {
      _ = try startOnce { process in
        let facts = ProcessFacts.memory(process)
        row.samples.append(Double(facts.resident))
        anonymous.append(Double(facts.anonymous))
      }
    }
    row.note = "of them anonymous: \(Int(Row.percentile(anonymous, 0.5))) KiB"
    return row
  }

  /// Microseconds. `body` sees the process before it is ended.
  private func startOnce(_ body: (Int32) -> Void) throws -> Double {
    let point = "io.extensiond.example.host.Greeting"
    let message = Self.startMessage(for: point)
    var process: Int32 = 0
    let time = unsafe cbench_activate_once(programs + "/greeting-extension", message, &process)
    defer { cbench_kill(process) }
    guard time > 0 else { throw Failure(description: "the extension did not answer Start") }
    body(process)
    return Double(time) / 1000
  }

  /// Frames of 1 MiB to a process that reads them in C, and from one that sends them.
  func sessionBulk() throws -> Row {
    var row = Row(id: "session.bulk")
    row.goals = [.floor(1.2)]
    let count = 50
    func each(_ nanoseconds: UInt64) -> Double { Self.microseconds(nanoseconds) / Double(count) }
    let (floorOut, floorIn) = (cbench_frames_start(1), cbench_frames_start(0))
    let sinkEnd = SharedDescriptor(FileDescriptor(owning: cbench_frames_start(1)))
    let sourceEnd = SharedDescriptor(FileDescriptor(owning: cbench_frames_start(0)))
    keepApart(from: (0..<4).map { cbench_process($0) })
    defer { letRun() }
    let (sink, source) = (AppExtensionFrames(sinkEnd), AppExtensionFrames(sourceEnd))
    let frame = AppExtensionFrames.Frame(bytes: [UInt8](repeating: 1, count: 1 << 20))
    var receiving: [Double] = []
    var floorReceiving: [Double] = []
    for batch in 0..<20 {
      let sent = try Self.wait(on: AppExtensionConnection.executor) {
        let start = MonotonicTime.now.nanoseconds
        for _ in 0..<count { try await sink.send(frame) }
        return UInt64(MonotonicTime.now.nanoseconds - start)
      }
      let received = try Self.wait(on: AppExtensionConnection.executor) {
        var iterator = source.makeAsyncIterator()
        let start = MonotonicTime.now.nanoseconds
        for _ in 0..<count { _ = try await iterator.next() }
        return UInt64(MonotonicTime.now.nanoseconds - start)
      }
      let (out, into) = (cbench_frames_out(floorOut, Int32(count)), cbench_frames_in(floorIn, Int32(count)))
      guard batch >= 2 else { continue }
      row.samples.append(each(sent))
      row.floor.append(each(out))
      receiving.append(each(received))
      floorReceiving.append(each(into))
    }
    let (ours, theirs) = (Row.percentile(receiving, 0.5), Row.percentile(floorReceiving, 0.5))
    row.note =
      "sending a frame of 1 MiB; receiving one: \(Int(ours)) us, \((ours / theirs * 100).rounded() / 100) of the floor"
    return row
  }
}
