import CBench
import CLinux
import ExtensionInterfaces
import LinuxSystem
import Varlink

// What the broker holds, and how soon it is there.

extension Bench {
  /// Private dirty pages, which the anonymous ones are among, in KiB.
  func daemonMemory() throws -> Row {
    var row = Row(id: "daemon.memory", unit: "KiB")
    row.goals = [.value(1536)]
    // A program that was just linked has pages that are not written back; they would count.
    sync()
    let empty = try measure("empty") { root in }
    row.samples = [Double(empty.idle)]
    let count = 10_000
    let program = Array("#!/bin/sh\nexit 0\n".utf8)
    let full = try measure("full") { root in
      for number in 0..<count {
        try addBundle("B\(number)", "io.extensiond.bench.b\(number)", program: program, in: root)
      }
    }
    let connections = try connectionBytes()
    row.note =
      "idle, of it anonymous \(empty.anonymous) KiB; a bundle \((full.idle - empty.idle) * 1024 / count) bytes, "
      + "a connection with an activation \(connections) bytes; goals of these two: 1024 and 2048 bytes"
    return row
  }

  private func measure(
    _ name: String, _ fill: (String) throws -> Void
  ) throws -> (idle: Int, anonymous: Int) {
    let place = "\(place)/memory-\(name)"
    try fill(try BenchBroker.prepare(place))
    let broker = try BenchBroker(programs: programs, place: place)
    defer { broker.end() }
    try broker.waitUntilReachable()
    // Answered when everything was read.
    _ = try broker.admin().call(AdminInterface.ListExtensionPoints(), timeout: .seconds(300))
    waitUntilStill(broker)
    let found = ProcessFacts.privateDirty(broker.processID)
    return (found.dirty, found.anonymous)
  }

  /// Of one connection with its activation. The first ones only fill what was free already.
  private func connectionBytes() throws -> Int {
    let other = try Bench("connections")
    defer { other.end() }
    let broker = try other.startBroker()
    try other.approve()
    var hosts: [(VarlinkClient, VarlinkClient.Answer<BrokerInterface.Activate.Reply>)] = []
    func add(_ count: Int) throws {
      for _ in 0..<count {
        let host = try broker.host()
        hosts.append(
          (host, try host.call(BrokerInterface.Activate(extension: Self.identifier), timeout: .seconds(60))))
      }
      waitUntilStill(broker)
    }
    try add(8)
    let before = ProcessFacts.privateDirty(broker.processID).dirty
    try add(48)
    let after = ProcessFacts.privateDirty(broker.processID).dirty
    withExtendedLifetime(hosts) {}
    return (after - before) * 1024 / 48
  }

  func daemonStart() throws -> Row {
    var row = Row(id: "daemon.start")
    row.goals = [.floor(2.0)]
    let place = place + "/start"
    try File.makeDirectories(place + "/home")
    for round in 0..<60 {
      try? File.removeTree(place + "/run")
      var sockets: [SharedDescriptor] = []
      for name in ["broker/io.extensiond.Broker", "admin/io.extensiond.Admin"] {
        let path = BenchBroker.socket(name, in: place)
        try File.makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        sockets.append(SharedDescriptor(try Socket.listen(at: path)))
      }
      var process: Int32 = 0
      let environment = BenchBroker.environment(place) + ["NOTIFY_SOCKET=\(place)/notify"]
      let floor = unsafe cbench_run_once(programs + "/bench-line")
      let ours = unsafe ArgumentVector.with(environment) {
        unsafe cbench_ready_once(
          programs + "/extensiond", $0, sockets.map(\.rawValue), place + "/notify", &process)
      }
      cbench_kill(process)
      guard ours > 0 else { throw Failure(description: "the broker did not get ready") }
      // The first one makes the database.
      guard round >= 5 else { continue }
      row.floor.append(Double(floor) / 1000)
      row.samples.append(Double(ours) / 1000)
    }
    row.note =
      "from its start to READY, with sockets of the service manager; floor: a static Swift program that prints one line"
    return row
  }
}
