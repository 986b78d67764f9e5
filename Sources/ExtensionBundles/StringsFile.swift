/// The pairs of a strings file such as `InfoPlist.strings`: lines of `"key" = "value";` with comments, or a
/// property list of strings.
public enum StringsFile {
  /// What is wrong, and on which line.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Reads UTF-8, UTF-16 with a byte order mark, or a property list.
  public static func read(_ bytes: [UInt8]) throws(Failure) -> [String: String] {
    let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let starts = ["bplist00", "<?xml", "<plist", "<!DOCTYPE"]
    if starts.contains(where: { text.starts(with: $0.utf8) }) {
      do throws(PropertyListError) {
        return try PropertyList.dictionary(from: bytes).compactMapValues(\.string)
      } catch {
        throw Failure(description: error.description)
      }
    }
    var parser = Parser(scalars: try decode(bytes))
    return try parser.pairs()
  }

  private static func decode(_ bytes: [UInt8]) throws(Failure) -> [Unicode.Scalar] {
    let bigEndian = bytes.starts(with: [0xFE, 0xFF])
    let decoded: String?
    if bigEndian || bytes.starts(with: [0xFF, 0xFE]) {
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return bigEndian ? first << 8 | second : second << 8 | first
      }
      decoded = bytes.count % 2 == 0 ? String(validating: units, as: UTF16.self) : nil
    } else {
      decoded = String(
        validating: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
    }
    guard let decoded else {
      throw Failure(description: "is neither UTF-8 nor UTF-16 with a byte order mark; save it as UTF-8")
    }
    return Array(decoded.unicodeScalars)
  }

  private struct Parser {
    let scalars: [Unicode.Scalar]
    var index = 0

    init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    mutating func pairs() throws(Failure) -> [String: String] {
      var pairs: [String: String] = [:]
      while true {
        try skipSpace()
        if index == scalars.count { return pairs }
        let key = try word()
        try expect("=")
        pairs[key] = try word()
        try expect(";")
      }
    }

    private func failure(_ what: String) -> Failure {
      Failure(description: "line \(1 + scalars[..<index].count { $0 == "\n" }): \(what)")
    }

    private func starts(with text: String) -> Bool { scalars[index...].starts(with: text.unicodeScalars) }

    private mutating func skipSpace() throws(Failure) {
      while index < scalars.count {
        if scalars[index].properties.isWhitespace {
          index += 1
        } else if starts(with: "//") {
          index = scalars[index...].firstIndex(of: "\n") ?? scalars.count
        } else if starts(with: "/*") {
          let start = index
          while index < scalars.count, !starts(with: "*/") { index += 1 }
          if index == scalars.count {
            index = start
            throw failure("the comment has no end; write */ after it")
          }
          index += 2
        } else {
          return
        }
      }
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(Failure) {
      try skipSpace()
      guard index < scalars.count, scalars[index] == scalar else {
        throw failure("“\(scalar)” is missing; write \"key\" = \"value\";")
      }
      index += 1
    }

    /// A quoted string, or a bare word of letters, digits and `_ . - $ /`.
    private mutating func word() throws(Failure) -> String {
      try skipSpace()
      var word = String.UnicodeScalarView()
      guard index < scalars.count, scalars[index] == "\"" else {
        while index < scalars.count, isBare(scalars[index]) {
          word.append(scalars[index])
          index += 1
        }
        if word.isEmpty { throw failure("a string is missing; write \"key\" = \"value\";") }
        return String(word)
      }
      let start = index
      index += 1
      while index < scalars.count {
        let scalar = scalars[index]
        index += 1
        if scalar == "\"" { return String(word) }
        word.append(scalar == "\\" ? escaped() : scalar)
      }
      index = start
      throw failure("the string has no end; write \" after it")
    }

    private func isBare(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || ["_", ".", "-", "$", "/"].contains(scalar)
    }

    /// What stands after a backslash.
    private mutating func escaped() -> Unicode.Scalar {
      guard index < scalars.count else { return "\\" }
      let scalar = scalars[index]
      index += 1
      switch scalar {
      case "n": return "\n"
      case "t": return "\t"
      case "r": return "\r"
      case "U", "u":
        let digits = String(String.UnicodeScalarView(scalars[index...].prefix(4)))
        guard digits.utf8.count == 4, let value = UInt32(digits, radix: 16),
          let result = Unicode.Scalar(value)
        else { return scalar }
        index += 4
        return result
      default: return scalar
      }
    }
  }
}
