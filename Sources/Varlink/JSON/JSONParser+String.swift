extension JSONParser {
  /// Reads a string; the index is at its opening quote.
  mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
    index += 1
    let start = index
    index = bytes.endOfPlainText(from: start)
    guard index < bytes.count else { throw error("The text ends inside a string.") }
    switch bytes[index] {
    case UInt8(ascii: "\""):
      let end = index
      index += 1
      return try text(start..<end, bytes)
    case UInt8(ascii: "\\"):
      return try escapedString(from: start, bytes)
    default:
      throw error("A control character in a string must be written as \\u and four digits.")
    }
  }

  /// The bytes as a string.
  func text(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(JSONError) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      let offset = range.lowerBound + error.byteOffsets.lowerBound
      throw JSONError(offset: offset, message: "The text is not valid UTF-8.")
    }
  }

  /// Reads the rest of a string that has an escape at the index.
  private mutating func escapedString(from start: Int, _ bytes: Span<UInt8>) throws(JSONError) -> String {
    var result = try text(start..<index, bytes)
    var run = index
    while true {
      index = bytes.endOfPlainText(from: index)
      guard index < bytes.count else { break }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        result += try text(run..<index, bytes)
        index += 1
        return result
      case UInt8(ascii: "\\"):
        result += try text(run..<index, bytes)
        result.unicodeScalars.append(try escape(bytes))
        run = index
      default:
        throw error("A control character in a string must be written as \\u and four digits.")
      }
    }
    throw error("The text ends inside a string.")
  }

  private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    guard index + 1 < bytes.count else { throw error("The text ends inside a string.") }
    let character = bytes[index + 1]
    guard character != UInt8(ascii: "u") else { return try unicodeEscape(bytes) }
    let scalar: Unicode.Scalar
    switch character {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(character)
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{c}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    default: throw error("There is no such escape in JSON.")
    }
    index += 2
    return scalar
  }

  /// Reads `\uXXXX`, or two of them that form a surrogate pair.
  private mutating func unicodeEscape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    let start = index
    let first = try codeUnit(bytes)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first), index < bytes.count, bytes[index] == UInt8(ascii: "\\") else {
      throw JSONError(offset: start, message: "Half a surrogate pair is no character.")
    }
    let second = try codeUnit(bytes)
    guard UTF16.isTrailSurrogate(second) else {
      throw JSONError(offset: start, message: "Half a surrogate pair is no character.")
    }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  private mutating func codeUnit(_ bytes: Span<UInt8>) throws(JSONError) -> UInt16 {
    guard index + 6 <= bytes.count, bytes[index + 1] == UInt8(ascii: "u") else {
      throw error("Expected \\u and four hexadecimal digits.")
    }
    var unit: UInt16 = 0
    for offset in 2..<6 {
      let byte = bytes[index + offset]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw error("Expected \\u and four hexadecimal digits.")
      }
      unit = unit << 4 | UInt16(digit)
    }
    index += 6
    return unit
  }
}
