extension Span<UInt8> {
  /// Where a run of plain text in a JSON string ends: at a quote, a backslash or a control character, or with the bytes.
  ///
  /// Eight bytes at a time: most of what a message consists of is plain text. In a word, `(x &- ones) & ~x` has
  /// the top bit of the first zero byte of x, and of no byte before it.
  func endOfPlainText(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let blanks = ones &* 0x20
    var index = start
    while index + 8 <= count {
      let word = UInt64(
        littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
      let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
      let found =
        ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((word &- blanks) & ~word)
      let tops = found & (ones << 7)
      if tops != 0 { return index + tops.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, !Self.endsPlainText(self[index]) { index += 1 }
    return index
  }

  @inline(__always) static func endsPlainText(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
