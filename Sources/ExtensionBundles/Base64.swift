internal import CCrypto

/// RFC 4648, section 4, by OpenSSL.
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String {
    var result = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = unsafe EVP_EncodeBlock(&result, bytes, CInt(bytes.count))
    return String(decoding: result.prefix(Int(count)), as: UTF8.self)
  }

  /// nil for what is not base64 without blanks.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    // OpenSSL takes blanks around it, and padding anywhere.
    guard !text.isEmpty, text.count % 4 == 0, padding <= 2, text.dropLast(padding).allSatisfy(isDigit) else {
      return nil
    }
    var result = [UInt8](repeating: 0, count: text.count / 4 * 3)
    guard unsafe EVP_DecodeBlock(&result, text, CInt(text.count)) == result.count else { return nil }
    return result.dropLast(padding)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
