extension JSONParser {
  /// Reads a number; the index is at its first character.
  mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
    let start = index
    let negative = bytes[index] == UInt8(ascii: "-")
    if negative { index += 1 }

    let first = index
    var magnitude: UInt64 = 0
    var fits = true
    while let digit = digit(bytes) {
      let (product, tooLarge) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(digit)
      magnitude = sum
      fits = fits && !tooLarge && !overflow
      index += 1
    }
    guard index > first else { throw error("Expected a digit.") }
    guard index == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      throw JSONError(offset: first, message: "A number must not begin with a needless 0.")
    }

    var isInteger = true
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      isInteger = false
      index += 1
      try digits(bytes)
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      index += 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        index += 1
      }
      try digits(bytes)
    }

    if isInteger && fits {
      if !negative { return Int64(exactly: magnitude).map(JSON.integer) ?? .unsigned(magnitude) }
      if magnitude <= Int64.min.magnitude { return .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) }
    }
    guard let double = Double(try text(start..<index, bytes)), double.isFinite else {
      throw JSONError(offset: start, message: "The number is too large for a 64-bit float.")
    }
    return .double(double)
  }

  private func digit(_ bytes: Span<UInt8>) -> UInt64? {
    guard index < bytes.count else { return nil }
    let digit = bytes[index] &- UInt8(ascii: "0")
    return digit <= 9 ? UInt64(digit) : nil
  }

  private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
    guard digit(bytes) != nil else { throw error("Expected a digit.") }
    while digit(bytes) != nil { index += 1 }
  }
}
