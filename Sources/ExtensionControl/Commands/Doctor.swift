internal import Varlink

extension Command {
  static let doctor = Command(
    name: "doctor", summary: "look at everything that extensions need on this machine",
    details:
      "Starts no broker. Each line says ok, warn or FAIL, and what mends it. Exit status 1 when something failed."
  ) { invocation in
    let checks = Checkup.run()
    let isHealthy = checks.allSatisfy { $0.result != .fail }
    let json: JSONObject = ["healthy": .bool(isHealthy), "checks": .array(checks.map { .object($0.json) })]
    try invocation.show(json: json) { checks.map(\.text).joined(separator: "\n") }
    return isHealthy ? .success : .failed
  }
}
