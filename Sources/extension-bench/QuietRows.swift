import ExtensionInterfaces
import LinuxSystem
import Varlink

// What the broker does for files, and when nothing happens.

extension Bench {
  /// 2,000 bundles; then one more, which must not make it read the others.
  func discovery() throws -> Row {
    var row = Row(id: "discovery.2k", unit: "ms")
    let program = Array("#!/bin/sh\nexit 0\n".utf8)
    for number in 0..<2000 { try addBundle("B\(number)", "io.extensiond.bench.b\(number)", program: program) }
    let admin = try admin()
    let start = MonotonicTime.now.nanoseconds
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(120))
    let listed = try admin.call(AdminInterface.List(), timeout: .seconds(60)).reply.extensions.count
    row.samples = [Double(MonotonicTime.now.nanoseconds - start) / 1e6]
    let host = try host()
    _ = try host.call(
      BrokerInterface.Subscribe(extensionPoints: [Self.point]), more: true, timeout: .seconds(10))
    waitUntilQuiet()
    let before = ProcessFacts(brokerID)
    try File.makeDirectories(place + "/made")
    try addBundle("New", "io.extensiond.bench.new", program: program, in: place + "/made")
    try File.rename(place + "/made/New.appex", to: root + "/New.appex")
    // Ends that nobody had been told of come first.
    var change: BrokerInterface.Change?
    while change == nil {
      change = try host.next(BrokerInterface.Subscribe.self, timeout: .seconds(20)).reply.change
    }
    let reads = ProcessFacts(brokerID).readCalls - before.readCalls
    row.note =
      "\(listed) listed; one added: \(change?.unapprovedCount ?? 0) unapproved told to a monitor after \(reads) read calls"
    return row
  }

  /// What the broker still has to read of the bundles that were written one after the other is read.
  private func waitUntilQuiet() {
    var last = -1
    while case let now = ProcessFacts(brokerID).readCalls, now != last {
      last = now
      CurrentProcess.pause(milliseconds: 1500)
    }
  }

  func idle() throws -> Row {
    var row = Row(id: "daemon.idle", unit: "calls")
    guard File.exists("/usr/bin/strace") else {
      row.skipped = "strace is not installed"
      return row
    }
    // Let what is under way come to its end.
    CurrentProcess.pause(milliseconds: 3000)
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    // Where the broker watches nothing.
    let output = place + "/run/strace"
    let child = try Spawn(
      path: "/usr/bin/strace", arguments: ["-f", "-qq", "-o", output, "-p", "\(brokerID)"], environment: [],
      descriptors: [null, null, null]
    ).run()
    let strace = SharedProcess(child)
    CurrentProcess.pause(milliseconds: 10_000)
    strace.send(signal: Signals.interrupt)
    _ = try? Poll.readable(strace.rawValue, deadline: .now + .seconds(5))
    _ = try? strace.process.reap()
    let lines = String(decoding: try File.read(output, limit: 1 << 20), as: UTF8.self).split(separator: "\n")
    // What was under way when it looked, and what it left.
    let calls = lines.filter {
      !$0.contains("resumed") && !$0.contains("unfinished") && !$0.contains("detached")
    }
    row.samples = [Double(calls.count)]
    row.note = (["system calls in 10 s"] + calls.prefix(5).map(String.init)).joined(separator: "; ")
    return row
  }
}
