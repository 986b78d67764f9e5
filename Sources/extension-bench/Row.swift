import Varlink

/// One measurement, as `--json` prints it.
struct Row {
  var id: String
  var unit = "us"
  var samples: [Double] = []
  var floor: [Double] = []
  var peers: [String: [Double]] = [:]
  /// A value that is no distribution, such as a count.
  var note: String?
  var skipped: String?

  static func percentile(_ samples: [Double], _ fraction: Double) -> Double {
    guard !samples.isEmpty else { return 0 }
    let sorted = samples.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
  }

  var p50: Double { Self.percentile(samples, 0.5) }
  var p99: Double { Self.percentile(samples, 0.99) }
  var floorP50: Double { Self.percentile(floor, 0.5) }
  var ratio: Double? { floor.isEmpty || samples.isEmpty ? nil : p50 / floorP50 }

  var json: String {
    func rounded(_ value: Double) -> JSON { .double((value * 100).rounded() / 100) }
    var object: JSONObject = [
      "id": .string(id), "unit": .string(unit), "samples": .integer(Int64(samples.count)),
    ]
    if !samples.isEmpty {
      object["p50"] = rounded(p50)
      object["p99"] = rounded(p99)
    }
    if !floor.isEmpty { object["floor"] = rounded(floorP50) }
    if let ratio { object["ratio"] = rounded(ratio) }
    var peers = JSONObject()
    for (name, samples) in self.peers.sorted(by: { $0.key < $1.key }) {
      peers[name] = rounded(Self.percentile(samples, 0.5))
    }
    if !peers.isEmpty { object["peers"] = .object(peers) }
    if let note { object["note"] = .string(note) }
    if let skipped { object["skipped"] = .string(skipped) }
    return JSON.object(object).text
  }

  var text: String {
    func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    if let skipped { return "\(id): skipped, \(skipped)" }
    var parts = ["\(id):"]
    if !samples.isEmpty { parts.append("p50 \(number(p50)) \(unit), p99 \(number(p99))") }
    if let ratio { parts.append("floor \(number(floorP50)), ratio \(number(ratio))") }
    for (name, samples) in peers.sorted(by: { $0.key < $1.key }) {
      parts.append("\(name) \(number(Self.percentile(samples, 0.5)))")
    }
    if let note { parts.append(note) }
    return parts.joined(separator: "  ")
  }
}
