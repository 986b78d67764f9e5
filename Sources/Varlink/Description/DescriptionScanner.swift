/// The words and marks of a `.varlink` file, one after the other.
struct DescriptionScanner {
  enum Token: Hashable {
    /// A keyword, a name, or an interface's name.
    case word(String)
    /// One of `( ) , : ? [] [string] ->`.
    case mark(String)
    case end
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0

  /// Where the token begins that `next` returned last.
  private(set) var tokenLine = 1
  private(set) var tokenColumn = 1
  /// The comments that ended right before it.
  private(set) var documentation: [String] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func next() throws(DescriptionError) -> Token {
    skip()
    tokenLine = line
    tokenColumn = index - lineStart + 1
    guard index < bytes.count else { return .end }
    for mark in ["[string]", "[]", "->", "(", ")", ",", ":", "?"] where starts(with: mark) {
      index += mark.utf8.count
      return .mark(mark)
    }
    let start = index
    while index < bytes.count, Self.isWord(bytes[index]) {
      // The arrow of a method may follow a word at once.
      if bytes[index] == UInt8(ascii: "-"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: ">") { break }
      index += 1
    }
    guard index > start else { throw error("unexpected character") }
    return .word(String(decoding: bytes[start..<index], as: UTF8.self))
  }

  func error(_ message: String) -> DescriptionError {
    DescriptionError(line: tokenLine, column: tokenColumn, message: message)
  }

  private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Goes past white space and comments. A blank line parts a comment from what follows it.
  private mutating func skip() {
    documentation = []
    var newlines = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
      case UInt8(ascii: "\n"):
        index += 1
        line += 1
        lineStart = index
        newlines += 1
        if newlines > 1 { documentation = [] }
      case UInt8(ascii: "#"):
        newlines = 0
        let start = index + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        var comment = String(decoding: bytes[start..<index], as: UTF8.self)
        if comment.hasPrefix(" ") { comment.removeFirst() }
        documentation.append(comment)
      default: return
      }
    }
  }
}
