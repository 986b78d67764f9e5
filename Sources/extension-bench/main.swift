import CBench
import LinuxSystem

// extension-bench [--json] [--soak N] [--rows a,b]: measures the programs beside it. docs/benchmarks.md explains the rows.

Signals.ignoreBrokenPipe()
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--serve" { Bench.serve() }
if arguments.first == "--call", arguments.count == 2, let count = Int(arguments[1]) { Bench.call(count) }

func value(_ name: String) -> String? {
  arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
}

let soak = value("--soak").flatMap(Int.init)
let wanted = value("--rows").map { Set($0.split(separator: ",").map(String.init)) }
let bench = try Bench(environment: ["EXTENSIOND_CONNECTIONS=1000"])
defer {
  cbench_end()
  bench.end()
}

let rows: [(String, () throws -> Row)] = [
  ("connection.open", bench.connectionOpen),
  ("data.roundtrip", bench.roundTrip),
  ("data.bulk", bench.bulk),
  ("session.call", bench.sessionCall),
  ("session.thousand", bench.sessionThousand),
  ("session.bulk", bench.sessionBulk),
  ("extension.start", bench.extensionStart),
  ("extension.memory", bench.extensionMemory),
  ("activation.cold", bench.activationCold),
  ("activation.sandboxed", bench.activationSandboxed),
  ("activation.parallel64", bench.activationParallel),
  ("fanout.1000", bench.fanout),
  ("daemon.idle", bench.idle),
  ("daemon.memory", bench.daemonMemory),
  ("daemon.start", bench.daemonStart),
  ("flood.others", bench.flood),
  ("soak.launches", { try bench.soak(soak ?? 10_000) }),
  ("soak.day", { try bench.soakDay(soak ?? 100_000) }),
  ("discovery.2k", bench.discovery),
  ("discovery.cold10k", bench.discoveryCold),
  ("discovery.warm10k", bench.discoveryWarm),
  ("discovery.increment", bench.discoveryIncrement),
  ("explain.2k", bench.explain),
  ("hash.256m", bench.hashing),
  ("scene.frame", bench.sceneFrame),
  ("scene.damage", bench.sceneDamage),
  ("scene.sixteen", bench.sceneSixteen),
]
let asJSON = arguments.contains("--json")
if !asJSON { print(Row.heading) }
do {
  try bench.startBroker()
  try bench.approve()
  for (name, measure) in rows where wanted?.contains(name) ?? true {
    var row: Row
    do { row = try measure() } catch { row = Row(id: name, skipped: "it failed: \(error)") }
    print(asJSON ? row.json : row.text)
  }
} catch {
  CurrentProcess.printError("extension-bench: \(error)")
}
