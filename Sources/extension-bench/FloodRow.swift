import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// What one peer that floods the broker does to the others.

extension Bench {
  /// A flood, or the same load between two programs that have nothing to do with the broker.
  private struct Load {
    let name: String
    let path: String
    let first: String
    let repeated: String
  }

  func flood() throws -> Row {
    var row = Row(id: "flood.others")
    row.goals = [.floor(1.5)]
    let hello = Self.message(BrokerInterface.Hello(hostIdentifier: "io.extensiond.bench.flood"))
    let valid = Self.message(BrokerInterface.Discover(extensionPoints: [Self.point]))
    let garbage = String(repeating: "{\"method\":[}", count: 20)
    let answer =
      "{\"parameters\":{\"snapshot\":{\"identities\":[{\"id\":\"\(Self.identifier)\",\"bundleIdentifier\":\"\(Self.identifier)\",\"localizedName\":\"Bench\",\"extensionPoint\":\"\(Self.point)\",\"version\":\"1.0\",\"details\":{}}],\"disabledCount\":0,\"unapprovedCount\":0}}}"
    let (answering, closing) = (place + "/run/answering", place + "/run/closing")
    let sinks = unsafe [cbench_sink_start(answering, answer), cbench_sink_start(closing, nil)]
    defer { sinks.forEach(cbench_kill) }
    guard sinks.allSatisfy({ $0 > 0 }) else { throw Failure(description: "nobody can be flooded elsewhere") }
    let broker = socket("broker/io.extensiond.Broker")
    let loads = [
      Load(name: "valid", path: broker, first: hello, repeated: valid),
      Load(name: "valid, elsewhere", path: answering, first: hello, repeated: valid),
      Load(name: "garbage", path: broker, first: "", repeated: garbage),
      Load(name: "garbage, elsewhere", path: closing, first: "", repeated: garbage),
    ]
    let host = try host()
    let activation = try host.call(
      BrokerInterface.Activate(extension: Self.identifier, scene: "s"), timeout: .seconds(60))
    let call = BrokerInterface.Connect(activation: activation.reply.activation)
    func opens(_ count: Int) throws -> [Double] {
      try (0..<count).map { _ in try Self.time { _ = try host.call(call) } }
    }
    var times: [String: [Double]] = [:]
    _ = try opens(200)
    for _ in 0..<10 {
      row.floor += try opens(200)
      for load in loads {
        let process = unsafe cbench_flood_start(load.path, load.first, load.repeated)
        defer { cbench_kill(process) }
        CurrentProcess.pause(milliseconds: 20)
        times[load.name, default: []] += try opens(200)
      }
      // What the last flood left is read.
      CurrentProcess.pause(milliseconds: 50)
    }
    withExtendedLifetime(activation) {}
    row.samples = times["valid"] ?? []
    row.note =
      "a connection's opening beside a flood of valid messages; floor: without; goal of p99: 1.5 of that beside the same load elsewhere; "
      + ["valid", "garbage"].map { kind in
        let (flood, control) = (times[kind] ?? [], times["\(kind), elsewhere"] ?? [])
        func ratio(_ left: Double, _ right: Double) -> Double { (left / right * 100).rounded() / 100 }
        let (p99, other) = (Row.percentile(flood, 0.99), Row.percentile(control, 0.99))
        return
          "\(kind): p50 \(ratio(Row.percentile(flood, 0.5), row.floorP50)) of unloaded, \(ratio(Row.percentile(flood, 0.5), Row.percentile(control, 0.5))) of elsewhere, p99 \(Int(p99)) us, \(ratio(p99, other)) of elsewhere"
      }.joined(separator: "; ")
    return row
  }
}
