/// SHA-256 of a bundle or a file.
public struct BundleDigest: Hashable, Sendable, CustomStringConvertible {
  public let bytes: [UInt8]

  static let size = 32

  /// nil unless they are 32.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// Reads the text form.
  public init?(_ text: String) {
    let prefix = "sha256:"
    guard text.hasPrefix(prefix) else { return nil }
    let digits = Array(text.utf8.dropFirst(prefix.utf8.count))
    guard digits.count == 2 * Self.size else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  /// `sha256:` and 64 digits in lower case.
  public var description: String {
    var text = Array("sha256:".utf8)
    text.reserveCapacity(text.count + 2 * bytes.count)
    for byte in bytes {
      text.append(Self.digit(byte >> 4))
      text.append(Self.digit(byte & 0xF))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
