import ExtensionInterfaces
import LinuxSystem
import Varlink

// What it costs to know whether something may be used.

extension Bench {
  /// 2,000 signed bundles, whose signatures were verified before.
  func explain() throws -> Row {
    var row = Row(id: "explain.2k", unit: "ms")
    row.goals = [.value(50)]
    let key = place + "/key"
    try run("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key])
    let program = Array("#!/bin/sh\nexit 0\n".utf8)
    for number in 0..<2000 {
      try addBundle("S\(number)", "io.extensiond.bench.s\(number)", program: program, in: place + "/signed")
      try run(programs + "/extctl", ["sign", "\(place)/signed/S\(number).appex", "--key", key])
      try File.rename("\(place)/signed/S\(number).appex", to: "\(root)/S\(number).appex")
    }
    let admin = try admin()
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(300))
    let publishers = try admin.call(AdminInterface.ListPublishers(), timeout: .seconds(60)).reply.publishers
    for number in 0..<100 {
      row.samples.append(
        try Self.time {
          _ = try admin.call(
            AdminInterface.Explain(extension: "io.extensiond.bench.s\(number * 20)"), timeout: .seconds(60))
        } / 1000)
      row.peers["extctl explain", default: []].append(
        try Self.time {
          // It exits with 3, since nothing of it is approved.
          try run(programs + "/extctl", ["explain", "io.extensiond.bench.s\(number * 20)"], expected: 3)
        } / 1000)
    }
    row.note = "\(publishers.first?.extensions.count ?? 0) signed bundles"
    return row
  }

  /// One bundle of 256 MiB, beside sha256sum of its only large file.
  func hashing() throws -> Row {
    var row = Row(id: "hash.256m", unit: "ms")
    row.goals = [.floor(1.25)]
    try addBundle(
      "Large", "io.extensiond.bench.large", program: Array("#!/bin/sh\n".utf8), in: place + "/large")
    let bundle = place + "/large/Large.appex"
    try writeLarge(bundle + "/data", 256 << 20)
    for _ in 0..<7 {
      row.floor.append(try Self.time { try run("/usr/bin/sha256sum", [bundle + "/data"]) } / 1000)
      row.samples.append(try Self.time { try run(programs + "/extctl", ["lint", bundle]) } / 1000)
    }
    try File.rename(bundle, to: root + "/Large.appex")
    let admin = try admin()
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(60))
    // What changed right before it was read is read once more.
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(60))
    let before = ProcessFacts(brokerID).readBytes
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(60))
    row.note =
      "extctl lint beside sha256sum; a rescan reads \((ProcessFacts(brokerID).readBytes - before) >> 10) KiB"
    return row
  }

  /// Closed when it returns: what is open for writing is not hashed.
  private func writeLarge(_ path: String, _ size: Int) throws {
    var block = [UInt8](repeating: 0, count: 1 << 20)
    for index in block.indices { block[index] = UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 7) }
    let file = try File.open(path, [.writeOnly, .create], mode: 0o644)
    for _ in 0..<(size / block.count) { try file.write(all: block) }
  }

  private func run(_ path: String, _ arguments: [String], expected: Int32 = 0) throws {
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    let end = try Spawn(
      path: path, arguments: arguments,
      environment: [
        "HOME=\(place)/home", "XDG_RUNTIME_DIR=\(place)/run", "XDG_DATA_DIRS=\(place)/none",
        "PATH=/usr/bin:/bin",
      ], descriptors: [null, null, null]
    ).runToEnd(deadline: .now + .seconds(60))
    guard end == .exited(status: expected) else {
      throw Failure(
        description: "\(path) \(arguments.first ?? "") ended as \(end.map { "\($0)" } ?? "nothing")")
    }
  }
}
