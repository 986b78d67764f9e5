/// Varlink names as Swift spells them.
enum SwiftName {
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
    "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
    "while",
  ]

  /// The name, in backticks if it is a keyword.
  static func escaped(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  static func capitalized(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// The name with its first word in small letters: GetInfo is getInfo, and URLFor is urlFor.
  static func lowercased(_ name: String) -> String {
    let capitals = name.prefix { $0.isUppercase }.count
    let count = capitals == name.count ? capitals : max(1, capitals - 1)
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }

  /// The text as a string literal.
  static func literal(_ text: String) -> String {
    "\"\(text)\""
  }
}
