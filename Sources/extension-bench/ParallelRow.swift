import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// Many hosts at once, each with an extension of its own.

extension Bench {
  func activationParallel() throws -> Row {
    var row = Row(id: "activation.parallel64")
    row.goals = [.floor(1.2)]
    let count = 64
    let slow = "io.extensiond.bench.slow"
    let program = try File.read(programs + "/bench-extension", limit: 64 << 20)
    let names = (0..<count).map { "io.extensiond.bench.parallel\($0)" }
    for name in names { try addBundle(String(name.split(separator: ".").last ?? ""), name, program: program) }
    try addBundle("slow", slow, program: Array("#!/bin/sh\nexec sleep 1000\n".utf8))
    let admin = try admin()
    _ = try admin.call(AdminInterface.Rescan(wait: true), timeout: .seconds(120))
    for name in names + [slow] { try approve(name, by: admin) }
    let hello = Self.message(BrokerInterface.Hello(hostIdentifier: "io.extensiond.bench.host"))
    let hosts = try (0...count).map { _ in
      let host = unsafe cbench_connect(socket("broker/io.extensiond.Broker"), hello)
      guard host >= 0 else { throw Failure(description: "a host could not connect") }
      return SharedDescriptor(FileDescriptor(owning: host))
    }
    let messages = names.map { Self.message(BrokerInterface.Activate(extension: $0)) }
    /// When each was activated. Then they end.
    func activate(_ number: Int) throws -> [Double] {
      let sockets = hosts.dropFirst().map(\.rawValue)
      var times = [UInt64](repeating: 0, count: number)
      var held = [CInt](repeating: -1, count: number * 8)
      var problem = [CChar](repeating: 0, count: Int(CBENCH_PROBLEM))
      let got = unsafe ArgumentVector.with(messages) {
        unsafe cbench_ask_all(sockets, $0, CInt(number), &times, &held, &problem)
      }
      guard got >= 0 else {
        throw Failure(
          description: String(
            decoding: problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
      }
      // Letting go of the leases ends them.
      for descriptor in held.prefix(Int(got)) { _ = FileDescriptor(owning: descriptor) }
      return times.map(Self.microseconds)
    }
    let launcher = try launcher()
    let bundle = root + "/Bench.appex/main"
    var byThreads: [CInt: [Double]] = [:]
    for round in 0..<20 {
      for threads: CInt in [1, 2, 4] {
        let filter = try filterPath(of: launcher)
        let time = unsafe ArgumentVector.with(byHand) {
          unsafe Self.microseconds(
            cbench_spawn_many(byHand[0], $0, Self.startMessage, filter, CInt(count), threads))
        }
        if round >= 2 { byThreads[threads, default: []].append(time) }
        let bare = unsafe ArgumentVector.with([bundle]) {
          unsafe Self.microseconds(
            cbench_spawn_many(bundle, $0, Self.startMessage, nil, CInt(count), threads))
        }
        if round >= 2 { row.peers["bare programs, \(threads) threads", default: []].append(bare) }
      }
      let all = try activate(count)
      if round >= 2 { row.samples.append(all.max() ?? 0) }
      try waitUntilIdle(admin)
    }
    let best = byThreads.min { Row.percentile($0.value, 0.5) < Row.percentile($1.value, 0.5) }
    row.floor = best?.value ?? []
    // One that never answers Start must keep nobody waiting. No more than these are started at once.
    let stuck = Self.message(BrokerInterface.Activate(extension: slow))
    try hosts[0].descriptor.write(all: Array(stuck.utf8) + [0])
    let beside = try activate(count - 1).max() ?? 0
    row.note =
      "floor: bwrap by hand as in activation.sandboxed, from \(best?.key ?? 0) threads, the best of 1, 2 and 4; "
      + "beside one that does not answer Start, the others took \(Int(beside)) us"
    return row
  }
}
