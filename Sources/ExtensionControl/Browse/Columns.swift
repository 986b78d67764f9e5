internal import CCurses

/// Text in a terminal's columns, of which a character may take none, one or two.
enum Columns {
  /// The C library tells widths for the character set that was chosen.
  private static let charactersAreChosen: Void = ccurses_choose_characters()

  /// To be called before anything is shown.
  static func prepare() { charactersAreChosen }

  static func width(_ character: Character) -> Int {
    charactersAreChosen
    return character.unicodeScalars.reduce(0) { $0 + max(0, Int(ccurses_width($1.value))) }
  }

  static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

  /// What fits, with an ellipsis where something does not.
  static func cut(_ text: String, to limit: Int) -> String {
    if width(text) <= limit { return text }
    var result = ""
    var used = 0
    for character in text {
      used += width(character)
      if used > limit - 1 { break }
      result.append(character)
    }
    return limit < 1 ? "" : result + "…"
  }

  /// What fits, filled up with blanks.
  static func fit(_ text: String, to limit: Int) -> String {
    let text = cut(text, to: limit)
    return text + String(repeating: " ", count: max(0, limit - width(text)))
  }

  /// As many lines as it takes, broken between words where that leaves no short lines. Further ones are indented, so that none of them can be taken for one of its own.
  static func wrap(_ text: String, to limit: Int) -> [String] {
    let indent = limit > 20 ? "    " : ""
    var lines: [String] = []
    var line = ""
    var used = 0
    for character in text {
      let more = width(character)
      if used + more > limit, used > 0 {
        var rest = ""
        if let blank = line.lastIndex(of: " "), width(line[..<blank]) > limit / 2 {
          rest = String(line[line.index(after: blank)...])
          line = String(line[..<blank])
        }
        lines.append(line)
        line = indent + rest
        used = width(line)
      }
      line.append(character)
      used += more
    }
    return lines + [line]
  }
}
