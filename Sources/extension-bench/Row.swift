import Varlink

/// One measurement, as `--json` prints it. Less is better in all of them.
struct Row {
  var id: String
  var unit = "us"
  var samples: [Double] = []
  var floor: [Double] = []
  /// What else was measured in the same run, by name: what one would use instead, or other ways of ours.
  var peers: [String: [Double]] = [:]
  /// Peers that could not run here: why, and what would help.
  var absent: [String: String] = [:]
  var goals: [Goal] = []
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
    let names = peers.keys.sorted()
    if !names.isEmpty {
      object["peers"] = .object(
        names.reduce(into: JSONObject()) { $0[$1] = rounded(Self.percentile(peers[$1] ?? [], 0.5)) })
    }
    if !absent.isEmpty {
      object["absent"] = .object(
        absent.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = .string($1.value) })
    }
    let comparisons = comparisons
    if !comparisons.isEmpty {
      object["comparisons"] = .array(
        comparisons.map {
          var object: JSONObject = ["name": .string($0.name), "value": rounded($0.value)]
          if !$0.samples.isEmpty {
            object["p50"] = rounded(Self.percentile($0.samples, 0.5))
            object["p99"] = rounded(Self.percentile($0.samples, 0.99))
          }
          if let goal = $0.goal { object["goal"] = .double(goal) }
          if let met = $0.met { object["met"] = .bool(met) }
          return .object(object)
        })
    }
    if let note { object["note"] = .string(note) }
    if let skipped { object["skipped"] = .string(skipped) }
    return JSON.object(object).text
  }
}
