import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// A broker's life in a short time: what is left of it, and whether anything goes wrong that nobody provoked.

extension Bench {
  func soakDay(_ count: Int) throws -> Row {
    var row = Row(id: "soak.day")
    let other = try Bench("day")
    defer { other.end() }
    let broker = try other.startBroker()
    let day = try Day(bench: other, broker: broker, root: other.root, made: other.place + "/made")
    var before: (descriptors: Int, dirty: Int) = (0, 0)
    func facts() -> (descriptors: Int, dirty: Int) {
      waitUntilStill(broker)
      return (ProcessFacts(broker.processID).descriptors, ProcessFacts.privateDirty(broker.processID).dirty)
    }
    let start = MonotonicTime.now.nanoseconds
    for number in 0..<count {
      if number == count / 10 { before = facts() }
      day.perform(number)
    }
    let seconds = (MonotonicTime.now.nanoseconds - start) / 1_000_000_000
    let after = facts()
    row.samples = day.opens
    row.note =
      "\(count) operations in \(seconds) s (\(day.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))); "
      + "after the first tenth \(after.descriptors - before.descriptors) descriptors and \(after.dirty - before.dirty) KiB more; "
      + "\(day.errors.count) errors that nobody provoked\(day.errors.first.map { ", such as: \($0)" } ?? "")"
    return row
  }
}

/// What is done in a day, in the same order each time.
private final class Day {
  private let bench: Bench
  private let root: String
  private let made: String
  private let admin: VarlinkClient
  private let broker: BenchBroker
  private let host: VarlinkClient
  private var activation: VarlinkClient.Answer<BrokerInterface.Activate.Reply>?
  private var installed = 0
  private(set) var opens: [Double] = []
  private(set) var counts: [String: Int] = [:]
  private(set) var errors: [String] = []

  init(bench: Bench, broker: BenchBroker, root: String, made: String) throws {
    (self.bench, self.broker, self.root, self.made) = (bench, broker, root, made)
    try File.makeDirectories(made)
    admin = try broker.admin()
    try bench.approve(by: admin)
    host = try broker.host()
    try activate()
  }

  func perform(_ number: Int) {
    let chance = Self.scattered(UInt64(number)) % 1000
    do {
      switch chance {
      case 0..<4: try count("installs") { try install() }
      case 4..<8: try count("approvals") { try approve() }
      case 8..<13: try count("kills") { try kill() }
      case 13..<25: try count("activations") { try activateOnce() }
      default: try count("connections") { try open() }
      }
    } catch {
      if errors.count < 100 { errors.append("operation \(number): \(error)") }
      // It may be gone.
      try? activate()
    }
  }

  /// The same each time, and each kind of operation after each other one: the mixing step of SplitMix64.
  private static func scattered(_ number: UInt64) -> UInt64 {
    var value = number &* 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  private func count(_ kind: String, _ work: () throws -> Void) rethrows {
    counts[kind, default: 0] += 1
    try work()
  }

  private func activate() throws {
    activation = nil
    activation = try host.call(
      BrokerInterface.Activate(extension: Bench.identifier, scene: "s"), timeout: .seconds(30))
  }

  private func open() throws {
    guard let activation else { throw Bench.Failure(description: "nothing is active") }
    opens.append(
      try Bench.time {
        _ = try host.call(
          BrokerInterface.Connect(activation: activation.reply.activation), timeout: .seconds(30))
      })
  }

  /// Another host's, which also ends.
  private func activateOnce() throws {
    let other = try VarlinkClient(path: broker.socket("broker/io.extensiond.Broker"))
    _ = try other.call(
      BrokerInterface.Hello(hostIdentifier: "io.extensiond.bench.other"), timeout: .seconds(30))
    _ = try other.call(BrokerInterface.Activate(extension: Bench.identifier), timeout: .seconds(30))
  }

  /// The extension's process, which nobody asked to end. Its host is told, and starts it again.
  private func kill() throws {
    guard let activation else { throw Bench.Failure(description: "nothing is active") }
    let activations = try admin.call(AdminInterface.ListActivations(), timeout: .seconds(30)).reply
      .activations
    let running = try admin.call(AdminInterface.ListInstances(), timeout: .seconds(30)).reply.instances
    let own = activations.first { $0.id == activation.reply.activation }?.instance
    guard let process = running.first(where: { $0.id == own })?.pid else {
      throw Bench.Failure(description: "nothing runs")
    }
    cbench_kill(Int32(process))
    // The lease's end tells of it.
    guard try Poll.readable(activation.descriptors[0].rawValue, deadline: .now + .seconds(30)) else {
      throw Bench.Failure(description: "the lease of a killed extension did not end")
    }
    do {
      _ = try host.call(
        BrokerInterface.Connect(activation: activation.reply.activation), timeout: .seconds(30))
      throw Bench.Failure(description: "a killed extension was connected to")
    } catch VarlinkClientError.errorReply(let reply)
      where reply.error?.hasSuffix(".ActivationEnded") == true
      || reply.error?.hasSuffix(".ActivationNotFound") == true
    {
      // Provoked.
    }
    try activate()
  }

  /// One of a few bundles, new or with another content each time, as `extctl install` puts it there.
  private func install() throws {
    installed += 1
    let name = "Day\(installed % 8)"
    let identifier = "io.extensiond.bench.day\(installed % 8)"
    try bench.addBundle(
      name, identifier, program: Array("#!/bin/sh\nexit 0\n# \(installed)\n".utf8), in: made)
    let (staged, target) = ("\(made)/\(name).appex", "\(root)/\(name).appex")
    if File.exists(target) {
      try File.rename(staged, to: target, .exchange)
      try File.removeTree(staged)
    } else {
      try File.rename(staged, to: target)
    }
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(30))
    guard try state(identifier) != "enabled" else {
      throw Bench.Failure(description: "\(identifier) is enabled with another content")
    }
  }

  private func approve() throws {
    guard installed > 0 else { return }
    let identifier = "io.extensiond.bench.day\(installed % 8)"
    try bench.approve(identifier, by: admin)
    guard try state(identifier) == "enabled" else {
      throw Bench.Failure(description: "\(identifier) is approved and not enabled")
    }
  }

  private func state(_ identifier: String) throws -> String? {
    try admin.call(AdminInterface.List(extension: identifier), timeout: .seconds(30)).reply.extensions.first?
      .state.rawValue
  }
}
