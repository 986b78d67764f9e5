/// Swift source in the making.
struct SwiftText {
  private(set) var text = ""
  private var depth = 0

  mutating func line(_ line: String) {
    text += line.isEmpty ? "\n" : String(repeating: "  ", count: depth) + line + "\n"
  }

  /// A line that is not indented.
  mutating func raw(_ line: String) { text += line + "\n" }

  mutating func open(_ line: String) {
    self.line(line + " {")
    depth += 1
  }

  mutating func close() {
    depth -= 1
    line("}")
  }

  mutating func documentation(_ lines: [String]) {
    for comment in lines { line(comment.isEmpty ? "///" : "/// " + comment) }
  }
}
