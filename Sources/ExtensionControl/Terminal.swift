internal import LinuxSystem

/// Text for people: results on standard output, talk on standard error.
enum Terminal {
  /// Writes a result, and ends its last line.
  static func write(_ text: String) throws(ControlError) {
    if text.isEmpty { return }
    do throws(Errno) {
      let output = try FileDescriptor.standardOutput()
      try output.write(all: Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
    } catch {
      throw ControlError(.failed, "cannot write to standard output: \(error)")
    }
  }

  static func say(_ text: String) { CurrentProcess.printError(text) }

  /// Emphasis, where there is a terminal that may show it: no-color.org.
  static func bold(_ text: String) -> String {
    guard CurrentProcess.isTerminal(1), CurrentProcess.environment("NO_COLOR") == nil,
      CurrentProcess.environment("TERM") != "dumb"
    else { return text }
    return "\u{1B}[1m\(text)\u{1B}[0m"
  }

  /// Text from bundles and extensions, with its control characters made visible: a terminal would obey them.
  static func visible(_ text: String, keepingLines: Bool = true) -> String {
    func isHidden(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.properties.generalCategory {
      case .control: !(keepingLines && (scalar == "\n" || scalar == "\t"))
      // Among them those that turn the direction of what follows.
      case .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
      default: false
      }
    }
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isHidden(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Columns that line up, with a heading. Empty without rows.
  static func table(_ heading: [String], _ rows: [[String]]) -> String {
    if rows.isEmpty { return "" }
    let cells = [heading] + rows.map { $0.map { visible($0, keepingLines: false) } }
    let widths = heading.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    var lines = cells.map { row in
      zip(row, widths).map { $0.padding(to: $1) }.joined(separator: "  ").trimmed
    }
    lines[0] = bold(lines[0])
    return lines.joined(separator: "\n")
  }

  /// Names and values, one a line; a value's further lines stand under its first.
  static func fields(_ rows: [(name: String, value: String)]) -> String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { row in
      let value = visible(row.value).split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: "\n" + "".padding(to: width + 2))
      return (row.name.padding(to: width + 2) + value).trimmed
    }.joined(separator: "\n")
  }
}

extension String {
  func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Without the blanks at its end.
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
