/// Swift source that grows line by line.
struct SourceText {
  private static let lineLength = 110

  private(set) var text = ""
  private var depth = 0
  /// Whether the last line opened a block: no blank line parts it from the first declaration.
  private var isAtStartOfBlock = true

  var roomInLine: Int { Self.lineLength - 2 * depth }

  mutating func line(_ line: String = "") {
    text += line.isEmpty ? "\n" : String(repeating: "  ", count: depth) + line + "\n"
    isAtStartOfBlock = false
  }

  mutating func open(_ head: String) {
    line(head)
    depth += 1
    isAtStartOfBlock = true
  }

  mutating func close(_ end: String = "}") {
    depth -= 1
    line(end)
  }

  /// Ends the block with a line that begins another.
  mutating func closeAndOpen(_ line: String) {
    depth -= 1
    open(line)
  }

  /// Ends a block that has no last line.
  mutating func dedent() {
    depth -= 1
  }

  /// A blank line, unless a block has just begun.
  mutating func gap() {
    if !isAtStartOfBlock { line() }
  }

  mutating func documentation(_ lines: [String]) {
    for text in lines { line(text.isEmpty ? "///" : "/// \(text)") }
  }
}
