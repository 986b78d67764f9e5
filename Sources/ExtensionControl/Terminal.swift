internal import LinuxSystem

/// Text for people.
enum Terminal {
  static func write(_ text: String) {
    let line = text.hasSuffix("\n") ? text : text + "\n"
    try? FileDescriptor.standardOutput().write(all: Array(line.utf8))
  }

  /// Text from bundles and extensions, with its control characters made visible: a terminal obeys them.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    let category = scalar.properties.generalCategory
    return category == .control && scalar != "\n" && scalar != "\t" || category == .format
  }

  /// Columns that line up, with a heading.
  static func table(_ heading: [String], _ rows: [[String]]) -> String {
    let cells = [heading] + rows.map { $0.map(visible) }
    let widths = heading.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line +=
          column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      return line
    }.joined(separator: "\n")
  }
}
