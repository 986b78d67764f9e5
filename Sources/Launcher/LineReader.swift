/// Cuts bytes into lines that can be shown anywhere: valid text, no control characters, not endless.
struct LineReader {
  static let limit = 1000

  private var rest: [UInt8] = []

  /// The lines that these bytes complete.
  mutating func read(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if part.offset > 0 {
        lines.append(Self.text(rest))
        rest = []
      }
      // Past the limit a line is cut, not kept.
      rest += part.element.prefix(max(0, Self.limit - rest.count))
    }
    return lines
  }

  /// The last line, if it has no newline.
  mutating func finish() -> String? {
    defer { rest = [] }
    return rest.isEmpty ? nil : Self.text(rest)
  }

  static func text(_ bytes: [UInt8]) -> String {
    let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...]
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where count < limit {
      let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
      if isControl, scalar != "\t" {
        let digits = String(scalar.value, radix: 16)
        result += "\\x\(digits.count < 2 ? "0" : "")\(digits)".unicodeScalars
        count += 4
      } else {
        result.append(scalar)
        count += UTF8.width(scalar)
      }
    }
    return String(result)
  }
}
