import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// What a host feels of an extension that runs, and of starting one.

extension Bench {
  static func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1000 }

  static func time(_ work: () throws -> Void) rethrows -> Double {
    let start = MonotonicTime.now.nanoseconds
    try work()
    return Double(MonotonicTime.now.nanoseconds - start) / 1000
  }

  /// Alternates with the floor, in batches, so that both see the same machine.
  func connectionOpen() throws -> Row {
    var row = Row(id: "connection.open")
    row.goals = [.floor(1.25), .peer("dbus-daemon", 0.6), .peer("dbus-broker", 0.7)]
    var peers = Peers()
    peers.add("dbus-daemon", to: &row) { try onDaemon(["open"]) }
    peers.add("dbus-broker", to: &row) { try inSession("dbus-broker", ["open"]) }
    let floor = cbench_open_start()
    let host = try host()
    // The extension lets go of a scene's connection, as the floor does, so that no earlier end is in the way.
    let activation = try host.call(
      BrokerInterface.Activate(extension: Self.identifier, scene: "s"), timeout: .seconds(60))
    let call = BrokerInterface.Connect(activation: activation.reply.activation)
    // The host and the extension on one CPU, the broker on the other, ours and the floor's.
    let brokers = [brokerID, cbench_process(0)]
    keepApart(from: brokers, with: try extensionProcesses() + [cbench_process(1)])
    defer { letRun() }
    let before = brokers.map { ProcessFacts($0).runMicroseconds }
    for batch in 0..<60 {
      for _ in 0..<50 {
        let floorTime = Self.microseconds(cbench_open_once(floor))
        if batch >= 5 { row.floor.append(floorTime) }
      }
      for _ in 0..<50 {
        // Both ends hold their descriptor then; that the host lets go of it again, counts for neither.
        var answer: VarlinkClient.Answer<BrokerInterface.Connect.Reply>?
        let ours = try Self.time { answer = try host.call(call) }
        withExtendedLifetime(answer) {}
        answer = nil
        if batch >= 5 { row.samples.append(ours) }
      }
      peers.measure(50, into: &row, keep: batch >= 5)
    }
    let used = zip(brokers, before).map { (ProcessFacts($0).runMicroseconds - $1) / 3000 }
    row.note = "processor time of the broker: \(used[0]) us a connection; of the floor's: \(used[1]) us"
    // The lease in it keeps the extension running.
    withExtendedLifetime(activation) {}
    return row
  }

  /// Keeps this process on one CPU and its peers on another, with all their threads. Where the scheduler puts the two would
  /// decide more than what is measured.
  func keepApart(from peers: [Int32], with others: [Int32] = []) {
    func keep(_ processes: [Int32], on cpu: CInt) {
      for thread in processes.flatMap(ProcessFacts.threads) { cbench_keep_on(thread, cpu) }
    }
    keep([CurrentProcess.processID] + others, on: 0)
    keep(peers, on: 1)
  }

  func letRun() {
    for thread in [CurrentProcess.processID, brokerID].flatMap(ProcessFacts.threads) {
      cbench_keep_on(thread, -1)
    }
  }

  private func extensionProcesses() throws -> [Int32] {
    let running = try admin().call(AdminInterface.ListInstances(), timeout: .seconds(20)).reply.instances
    return running.compactMap(\.pid).flatMap { ProcessFacts.tree(Int32($0)) }
  }

  func roundTrip() throws -> Row {
    var row = Row(id: "data.roundtrip")
    row.goals = [.floor(1.05)]
    let floor = cbench_echo_start()
    let host = try host()
    let answer = try host.call(
      BrokerInterface.Activate(extension: Self.identifier, connect: true), timeout: .seconds(60))
    guard answer.descriptors.count == 2 else { throw Failure(description: "no connection came") }
    let connection = answer.descriptors[1]
    keepApart(from: try extensionProcesses() + [cbench_process(0)])
    defer { letRun() }
    for batch in 0..<60 {
      for _ in 0..<100 {
        let floorTime = Self.microseconds(cbench_round_trip(floor, 100))
        if batch >= 5 { row.floor.append(floorTime) }
      }
      for _ in 0..<100 {
        let ours = Self.microseconds(cbench_round_trip(connection.rawValue, 100))
        if batch >= 5 { row.samples.append(ours) }
      }
    }
    withExtendedLifetime(answer) {}
    row.note = "the two ends each on a CPU of its own, ours and the floor's"
    return row
  }

  /// Blocks of 1 MiB into the extension.
  func bulk() throws -> Row {
    var row = Row(id: "data.bulk")
    row.goals = [.floor(1.05)]
    let floor = cbench_taker_start()
    let host = try host()
    let answer = try host.call(
      BrokerInterface.Activate(extension: Self.identifier, scene: "sink", connect: true),
      timeout: .seconds(60))
    guard answer.descriptors.count == 2 else { throw Failure(description: "no connection came") }
    let connection = answer.descriptors[1]
    keepApart(from: try extensionProcesses() + [cbench_process(0)])
    defer { letRun() }
    let count: Int32 = 20
    for batch in 0..<105 {
      let floorTime = Self.microseconds(cbench_blocks(floor, count)) / Double(count)
      let ours = Self.microseconds(cbench_blocks(connection.rawValue, count)) / Double(count)
      guard batch >= 5 else { continue }
      row.floor.append(floorTime)
      row.samples.append(ours)
    }
    withExtendedLifetime(answer) {}
    row.note = "a block of 1 MiB, of \(count) one after the other, until they are taken"
    return row
  }

  static let startMessage = startMessage(for: "y")

  static func startMessage(for point: String) -> String {
    message(ExtensionInterface.Start(call: "1", extension: "x", extensionPoint: point, context: JSONObject()))
  }

  func soak(_ count: Int) throws -> Row {
    var row = Row(id: "soak.launches")
    let admin = try admin()
    let launcher = try launcher()
    func use() throws {
      let host = try host()
      var answer: VarlinkClient.Answer<BrokerInterface.Activate.Reply>?
      row.samples.append(
        try Self.time {
          answer = try host.call(BrokerInterface.Activate(extension: Self.identifier), timeout: .seconds(60))
        })
      // Letting go of the lease ends it.
      withExtendedLifetime(answer) {}
      answer = nil
      try waitUntilIdle(admin)
    }
    for _ in 0..<100 { try use() }
    /// The last host's end may still be on its way.
    func facts() -> [ProcessFacts] {
      CurrentProcess.pause(milliseconds: 200)
      return [brokerID, launcher].map(ProcessFacts.init)
    }
    let before = facts()
    for _ in 0..<max(0, count - 100) { try use() }
    let after = facts()
    var parts: [String] = []
    for (name, (first, last)) in zip(["broker", "launcher"], zip(before, after)) {
      parts.append(
        "\(name): \(last.descriptors - first.descriptors) descriptors, \(last.residentKiB - first.residentKiB) KiB more, \(last.children) children"
      )
    }
    row.note = "\(count) launches; " + parts.joined(separator: "; ")
    return row
  }
}

/// What /proc says of a process.
struct ProcessFacts {
  let descriptors: Int
  let residentKiB: Int
  let children: Int
  let readCalls: Int
  let readBytes: Int
  let threads: Int
  /// Of the first thread.
  let runMicroseconds: Int

  init(_ process: Int32) {
    let directory = try? SharedDescriptor(File.open("/proc/\(process)/fd", .directory))
    descriptors = directory.flatMap { try? DirectoryReader.entries(of: $0.rawValue).count } ?? 0
    residentKiB = Self.number("/proc/\(process)/status", "VmRSS:")
    threads = Self.number("/proc/\(process)/status", "Threads:")
    let run = Self.text("/proc/\(process)/schedstat").split(separator: " ").first.flatMap { Int($0) }
    runMicroseconds = (run ?? 0) / 1000
    readBytes = Self.number("/proc/\(process)/io", "rchar:")
    readCalls = Self.number("/proc/\(process)/io", "syscr:")
    children = Self.text("/proc/\(process)/task/\(process)/children").split(separator: " ").count
  }

  static func threads(of process: Int32) -> [Int32] {
    guard let directory = try? SharedDescriptor(File.open("/proc/\(process)/task", .directory)) else {
      return []
    }
    return ((try? DirectoryReader.entries(of: directory.rawValue)) ?? []).compactMap { Int32($0.name) }
  }

  /// A process and what came from it.
  static func tree(_ process: Int32) -> [Int32] {
    let children = text("/proc/\(process)/task/\(process)/children").split(separator: " ").compactMap {
      Int32($0)
    }
    return [process] + children.flatMap(tree)
  }

  /// How long all threads of a process have run.
  static func runNanoseconds(of process: Int32) -> UInt64 {
    threads(of: process).reduce(0) { sum, thread in
      let run = text("/proc/\(process)/task/\(thread)/schedstat").split(separator: " ").first
      return sum + (run.flatMap { UInt64($0) } ?? 0)
    }
  }

  /// What nobody else shares of a process, in KiB. Call sync(2) before: pages of a file that was just written count.
  static func privateDirty(_ process: Int32) -> (dirty: Int, anonymous: Int) {
    let path = "/proc/\(process)/smaps_rollup"
    return (number(path, "Private_Dirty:"), number(path, "Anonymous:"))
  }

  /// What a process holds in KiB. Anonymous, since pages of a file that was just written count as dirty.
  static func memory(_ process: Int32) -> (resident: Int, anonymous: Int) {
    let path = "/proc/\(process)/smaps_rollup"
    return (number(path, "Rss:"), number(path, "Anonymous:"))
  }

  private static func text(_ path: String) -> String {
    String(decoding: (try? File.read(path, limit: 1 << 20)) ?? [], as: UTF8.self)
  }

  private static func number(_ path: String, _ key: String) -> Int {
    let line = text(path).split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap {
      $0.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
    } ?? 0
  }
}
