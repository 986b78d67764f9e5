import ExtensionInterfaces
import LinuxSystem
import Testing

@testable import BrokerCore

@Test func `whatever happens in whatever order, the broker keeps its promises`() {
  let steps = CurrentProcess.environment("EXTENSIOND_SIMULATION_STEPS").flatMap { Int($0) } ?? 200_000
  let perSeed = 1_000
  var reached: [String: Int] = [:]
  for seed in 1...UInt64(max(1, steps / perSeed)) {
    let simulator = play(seed, steps: perSeed)
    guard simulator.faults.isEmpty else {
      let shorter = shortest(seed, simulator.steps)
      Issue.record("\((shorter ?? simulator).story)")
      return
    }
    reached.merge(simulator.reached, uniquingKeysWith: +)
  }
  guard steps >= 100_000 else { return }
  for what in [
    "begun", "activated", "willDeactivate", "hostEnded", "hostGone", "crashed", "killed", "outOfMemory",
    "exited",
    "unresponsive", "disabled", "removed", "stopping", "launcherGone", "quarantined", "given up",
    "failed: startTimedOut", "failed: quarantined", "failed: changed", "failed: startFailed",
    "failed: unresponsive", "failed: sandboxFailed", "not enabled: unapproved", "not enabled: outOfScope",
    "limit: waitingEvents", "limit: activationsPerHost", "limit: instances", "NotPermitted", "sandboxed use",
    "developer: found", "developer: waiting", "developer: ready", "developer: ended", "developer: output",
    "display", "startsClean", "broker killed", "launcher killed",
  ] { #expect(reached[what, default: 0] > 0, "\(what) never happened: \(reached)") }
}

private func play(_ seed: UInt64, steps: Int) -> Simulator {
  let simulator = Simulator(seed: seed)
  while simulator.steps < steps, simulator.faults.isEmpty { simulator.step() }
  if simulator.faults.isEmpty { simulator.close() }
  return simulator
}

/// The fewest steps of a history after which its end shows a fault. nil where the order of a set hid it this time.
private func shortest(_ seed: UInt64, _ steps: Int) -> Simulator? {
  for fewer in 0...steps {
    let simulator = play(seed, steps: fewer)
    if !simulator.faults.isEmpty { return simulator }
  }
  return nil
}

extension Simulator {
  /// For whoever mends it. Sets have another order each time, unless SWIFT_DETERMINISTIC_HASHING=1 is set as in run-tests.
  fileprivate var story: String {
    let lines = history.map { entry in
      let event = "\(entry.event)".split(separator: "BrokerCore.").joined()
      return "\(entry.time) \(event.split(separator: "ExtensionInterfaces.").joined())"
    }
    let start = lines.count > 400 ? ["(\(lines.count - 400) events before)"] : []
    return
      "seed \(seed) after \(steps) steps: \(faults.joined(separator: "; "))\n"
      + (start + lines.suffix(400)).joined(separator: "\n")
  }
}
