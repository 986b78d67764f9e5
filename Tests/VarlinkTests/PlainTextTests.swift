import LinuxSystem
import Testing

@testable import Varlink

@Suite struct PlainTextTests {
  /// Bytes that end a run, and neighbours of theirs that do not.
  static let ends: [UInt8] = [0, 1, 0x1F, UInt8(ascii: "\""), UInt8(ascii: "\\")]
  static let others: [UInt8] = [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]

  @Test(arguments: 0..<20) func `A run ends at the first byte that must be escaped, wherever it is`(
    length: Int
  ) {
    for other in Self.others {
      let plain = [UInt8](repeating: other, count: length)
      #expect(plain.span.endOfPlainText(from: 0) == length)
      for (place, end) in plain.indices.flatMap({ place in Self.ends.map { (place, $0) } }) {
        var bytes = plain
        bytes[place] = end
        for start in 0...place { #expect(bytes.span.endOfPlainText(from: start) == place) }
        #expect(bytes.span.endOfPlainText(from: place + 1) == length)
      }
    }
  }

  @Test(arguments: 0..<20) func `A text with any character in any place comes back as it was`(place: Int)
    throws
  {
    for character in ["\"", "\\", "\n", "\u{1}", "\u{1F}", " ", "ü", "🙂", "\u{7F}"] {
      let text = String(repeating: "a", count: place) + character + String(repeating: "b", count: 19 - place)
      var writer = JSONWriter()
      writer.write(text)
      #expect(try JSON(parsing: writer.bytes) == .string(text))
    }
  }

  @Test func `The first NUL is found from any index on`() {
    let bytes: [UInt8] = [1, 0, 2, 3, 0]
    #expect((0...5).map { bytes.firstNUL(from: $0) } == [1, 1, 4, 4, 4, nil])
    #expect([UInt8]().firstNUL(from: 0) == nil)
  }
}
