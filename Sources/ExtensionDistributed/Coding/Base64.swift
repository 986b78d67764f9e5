/// Bytes as text, by RFC 4648 with padding.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")
  /// By the byte of a digit.
  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      var four: [UInt8] = [padding, padding, padding, padding]
      for place in stride(from: 3, through: 0, by: -1) {
        if place <= group.count { four[place] = digits[bits & 63] }
        bits >>= 6
      }
      text += four
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// nil for what `encode` does not write.
  static func decode(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard text.count % 4 == 0 else { return nil }
    let padded = text.suffix(2).count { $0 == padding }
    let body = text.dropLast(padded)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits = 0
    var count = 0
    for byte in body {
      guard let value = values[Int(byte)] else { return nil }
      bits = (bits << 6 | Int(value)) & 0xffff
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // What is left over says nothing.
    return bits & (1 << count - 1) == 0 ? bytes : nil
  }
}
