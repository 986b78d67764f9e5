/// Reads the words of an interface description, and the comments between them.
struct InterfaceScanner {
  typealias Position = Int

  private let text: [Unicode.Scalar]
  private(set) var position: Position = 0
  /// Whether a line break came before the current position and after the last word.
  private(set) var isOnNewLine = true
  /// The comment lines directly before the current position, if each had a line of its own.
  private(set) var documentation: [String] = []

  init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  var isAtEnd: Bool { position == text.count }
  var next: Unicode.Scalar? { position < text.count ? text[position] : nil }

  /// Moves to the next word. A blank line parts a comment from what follows.
  mutating func skipTrivia(atStart: Bool = false) {
    isOnNewLine = atStart
    documentation = []
    var lineIsBlank = atStart
    while let scalar = next {
      if scalar == "#" {
        let comment = comment()
        if isOnNewLine { documentation.append(comment) }
        lineIsBlank = false
      } else if Self.isLineBreak(scalar) {
        if isOnNewLine && lineIsBlank { documentation = [] }
        if scalar == "\r", position + 1 < text.count, text[position + 1] == "\n" { position += 1 }
        position += 1
        isOnNewLine = true
        lineIsBlank = true
      } else if Self.isSpace(scalar) {
        position += 1
      } else {
        return
      }
    }
  }

  /// Takes these characters and what separates them from the next word.
  mutating func take(_ word: String) -> Bool {
    guard text[position...].starts(with: word.unicodeScalars) else { return false }
    position += word.unicodeScalars.count
    skipTrivia()
    return true
  }

  /// Takes as many characters as match, without what follows them.
  mutating func takeWhile(_ matches: (Unicode.Scalar) -> Bool) -> String {
    let end = text[position...].firstIndex { !matches($0) } ?? text.count
    defer { position = end }
    var word = ""
    word.unicodeScalars.append(contentsOf: text[position..<end])
    return word
  }

  func error(_ message: String, at position: Position? = nil) -> InterfaceDescriptionError {
    var line = 1
    var column = 1
    for index in 0..<(position ?? self.position) {
      let isBreak = Self.isLineBreak(text[index])
      let isHalf = text[index] == "\r" && index + 1 < text.count && text[index + 1] == "\n"
      line += isBreak && !isHalf ? 1 : 0
      column = isBreak ? 1 : column + 1
    }
    return InterfaceDescriptionError(line: line, column: column, message: message)
  }

  /// Takes a comment up to the line break. One space after the # is not part of it.
  private mutating func comment() -> String {
    position += 1
    if next == " " { position += 1 }
    return takeWhile { !Self.isLineBreak($0) }
  }

  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", "\u{A0}", "\u{FEFF}", "\u{1680}", "\u{180E}", "\u{2000}"..."\u{200A}", "\u{202F}",
      "\u{205F}", "\u{3000}":
      true
    default: false
    }
  }
}
