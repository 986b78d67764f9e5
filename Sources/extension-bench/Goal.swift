/// What is asked of a row: one p50 is at most so much.
enum Goal {
  /// The row's, of the floor's.
  case floor(Double)
  /// The row's, of a peer's.
  case peer(String, Double)
  /// Another way of ours, of the floor's.
  case variant(String, Double)
  /// The row's, in its unit.
  case value(Double)
}

/// A ratio, or a figure, and what is asked of it.
struct Comparison {
  let name: String
  let value: Double
  let goal: Double?
  /// Of the floor, or of the peer.
  var samples: [Double] = []

  var met: Bool? { goal.map { value <= $0 } }
}

extension Row {
  /// The floor first, then the peers by name. A variant is compared with the floor; a peer is what we are compared with.
  var comparisons: [Comparison] {
    guard !samples.isEmpty else { return [] }
    var result: [Comparison] = []
    for case .value(let goal) in goals { result.append(Comparison(name: "p50", value: p50, goal: goal)) }
    if let ratio {
      var goal: Double?
      for case .floor(let most) in goals { goal = most }
      result.append(Comparison(name: "floor", value: ratio, goal: goal, samples: floor))
    }
    for name in peers.keys.sorted() {
      let samples = peers[name] ?? []
      let theirs = Self.percentile(samples, 0.5)
      guard theirs > 0 else { continue }
      var (value, most) = (p50 / theirs, Double?.none)
      for goal in goals {
        switch goal {
        case .peer(name, let factor): most = factor
        case .variant(name, let factor) where !floor.isEmpty: (value, most) = (theirs / floorP50, factor)
        default: break
        }
      }
      result.append(Comparison(name: name, value: value, goal: most, samples: samples))
    }
    return result
  }

  static let heading = line("row", "p50", "p99", "ratio", "goal", "")

  /// The row, and under it the floor and each peer with its ratio.
  var text: String {
    if let skipped { return Self.line(id, "", "", "", "", "skipped: \(skipped)") }
    let comparisons = comparisons
    func number(_ value: Double) -> String {
      value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
    }
    func line(_ name: String, _ samples: [Double], _ comparison: Comparison?) -> String {
      let times = samples.isEmpty ? nil : [0.5, 0.99].map { number(Self.percentile(samples, $0)) }
      return Self.line(
        name, times.map { "\($0[0]) \(unit)" } ?? "", times?[1] ?? "",
        comparison.map { number($0.value) } ?? "", comparison?.goal.map(number) ?? "",
        comparison?.met.map { $0 ? "met" : "missed" } ?? "")
    }
    var lines = [line(id, samples, comparisons.first { $0.name == "p50" })]
    if !floor.isEmpty { lines.append(line("  floor", floor, comparisons.first { $0.name == "floor" })) }
    for name in peers.keys.sorted() {
      lines.append(line("  " + name, peers[name] ?? [], comparisons.first { $0.name == name }))
    }
    for (name, why) in absent.sorted(by: { $0.key < $1.key }) { lines.append("  \(name): not here: \(why)") }
    if let note { lines.append("  " + note) }
    return lines.joined(separator: "\n")
  }

  private static func line(_ cells: String...) -> String {
    var text = ""
    for (cell, width) in zip(cells, [30, 12, 12, 8, 8, 1]) {
      text += cell + String(repeating: " ", count: max(1, width - cell.count))
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
