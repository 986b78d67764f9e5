/// A digest as it is kept: 32 bytes, where its text takes 112. What is no SHA-256 in lower case stays a text.
struct CompactDigest: Hashable, Sendable {
  private enum Content: Hashable {
    case sha256(UInt64, UInt64, UInt64, UInt64)
    case other(String)
  }

  private static let prefix = "sha256:"
  private static let digits = 64

  private let content: Content

  init(_ text: String) { content = Self.sha256(text) ?? .other(text) }

  /// - Precondition: they are 32.
  init(sha256 bytes: [UInt8]) {
    precondition(bytes.count == Self.digits / 2, "SHA-256 has 32 bytes")
    func word(_ number: Int) -> UInt64 {
      bytes[number * 8..<number * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    content = .sha256(word(0), word(1), word(2), word(3))
  }

  private static func sha256(_ text: String) -> Content? {
    guard text.hasPrefix(prefix), text.utf8.count == prefix.utf8.count + digits else { return nil }
    var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    for digit in text.utf8.dropFirst(prefix.utf8.count) {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      // All four move by one digit.
      words.0 = words.0 << 4 | words.1 >> 60
      words.1 = words.1 << 4 | words.2 >> 60
      words.2 = words.2 << 4 | words.3 >> 60
      words.3 = words.3 << 4 | UInt64(value)
    }
    return .sha256(words.0, words.1, words.2, words.3)
  }

  var text: String {
    switch content {
    case .other(let text): return text
    case .sha256(let first, let second, let third, let fourth):
      var text = Array(Self.prefix.utf8)
      text.reserveCapacity(text.count + Self.digits)
      for word in [first, second, third, fourth] {
        for shift in stride(from: 60, through: 0, by: -4) {
          let value = UInt8(truncatingIfNeeded: word >> shift) & 0xF
          text.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
        }
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
}
