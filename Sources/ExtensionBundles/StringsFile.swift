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

    private func stand(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
      index + 1 < scalars.count && scalars[index] == first && scalars[index + 1] == second
    }

    private mutating func skipSpace() throws(Failure) {
      while index < scalars.count {
        if isSpace(scalars[index]) {
          index += 1
        } else if stand("/", "/") {
          index = scalars[index...].firstIndex(of: "\n") ?? scalars.count
        } else if stand("/", "*") {
          let start = index
          while index < scalars.count, !stand("*", "/") { index += 1 }
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
      let start = index
      guard index < scalars.count, scalars[index] == "\"" else {
        while index < scalars.count, isBare(scalars[index]) { index += 1 }
        if index == start { throw failure("a string is missing; write \"key\" = \"value\";") }
        return text(scalars[start..<index])
      }
      index += 1
      let first = index
      while index < scalars.count, scalars[index] != "\"", scalars[index] != "\\" { index += 1 }
      var word = text(scalars[first..<index])
      while index < scalars.count {
        let scalar = scalars[index]
        index += 1
        if scalar == "\"" { return word }
        word.unicodeScalars.append(scalar == "\\" ? escaped() : scalar)
      }
      index = start
      throw failure("the string has no end; write \" after it")
    }

    private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(scalars.count)
      for scalar in scalars {
        if scalar.isASCII { bytes.append(UInt8(scalar.value)) } else { bytes += scalar.utf8 }
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    private func isSpace(_ scalar: Unicode.Scalar) -> Bool {
      // To ask for a property takes long, and what is found here is plain text nearly always.
      guard scalar.isASCII else { return scalar.properties.isWhitespace }
      return scalar == " " || (0x09...0x0D).contains(scalar.value)
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
