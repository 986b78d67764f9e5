import Testing

@testable import ExtensionBundles

@Suite struct PropertyListTests {
  @Test func `XML and binary read as the same dictionary`() throws {
    let xml = try PropertyList(Array(Fixtures.info.utf8))
    #expect(try PropertyList(BinaryFixtures.info) == xml)
    let options = try #require(xml.dictionary?["Extensiond"]?.dictionary)
    #expect(options["Arguments"] == .array([.string("a"), .string("b")]))
    #expect(options["StartTimeout"] == .real(2.5))
  }

  @Test func `Every kind of value is read`() throws {
    let expected: [String: PropertyList] = [
      "s": .string("ü€😀"), "i": .integer(-7), "big": .integer(1 << 40), "r": .real(1.5), "t": .boolean(true),
      "f": .boolean(false), "d": .data([0, 1, 255]), "a": .array([.integer(1), .array([.integer(2)])]),
      "date": .date(86400), "e": .string(""),
    ]
    #expect(try PropertyList.dictionary(from: BinaryFixtures.values) == expected)
    let xml = Fixtures.plist(
      """
      <key>s</key><string>ü€&#x1F600;</string><key>i</key><integer>-7</integer>
      <key>big</key><integer>1099511627776</integer><key>r</key><real>1.5</real><key>t</key><true/>
      <key>f</key><false/><key>d</key><data>AAH/</data>
      <key>a</key><array><integer>1</integer><array><integer>2</integer></array></array>
      <key>date</key><date>2001-01-02T00:00:00Z</date><key>e</key><string></string>
      """)
    #expect(try PropertyList.dictionary(from: Array(xml.utf8)) == expected)
    #expect(try PropertyList.dictionary(from: Array(PropertyList.dictionary(expected).xml.utf8)) == expected)
  }

  @Test func `Text with the signs of XML is written so that it reads as the same`() throws {
    let values: [String: PropertyList] = ["<k> & \"'": .string("]]> <!-- &amp; --> \n\t")]
    #expect(try PropertyList.dictionary(from: Array(PropertyList.dictionary(values).xml.utf8)) == values)
  }

  @Test(arguments: [Array(Fixtures.info.utf8), BinaryFixtures.info])
  func `No truncation reads as a dictionary, and none harms`(whole: [UInt8]) {
    // Behind the last > only the line's end can be missing.
    let end = whole.last == UInt8(ascii: "\n") ? whole.count - 1 : whole.count
    for count in 0..<end {
      #expect(throws: PropertyListError.self, "\(count) bytes") {
        try PropertyList.dictionary(from: Array(whole[..<count]))
      }
    }
    #expect(throws: Never.self) { try PropertyList.dictionary(from: whole) }
  }

  @Test(arguments: [Array(Fixtures.info.utf8), BinaryFixtures.info, BinaryFixtures.values])
  func `No changed byte harms`(whole: [UInt8]) {
    for index in whole.indices {
      for value: UInt8 in [0, 0x3C, 0xFF, whole[index] ^ 0x10] {
        var bytes = whole
        bytes[index] = value
        _ = try? PropertyList(bytes)
      }
    }
  }

  @Test(arguments: [Fixtures.info, Fixtures.plain])
  func `What is read without the library is what the library reads`(whole: String) throws {
    let whole = Array(whole.utf8)
    #expect(PlainPropertyList.read(Array(Fixtures.plain.utf8)) != nil)
    let parts = [
      "<key>", "</key>", "<string>", "</string>", "<dict>", "</dict>", "<true/>", "0", "-", "&lt;", "\"",
      "<!-- -->",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: (parts.randomElement() ?? "").utf8, at: place)
        case 2:
          bytes.insert(
            contentsOf: Array(bytes[place..<end]), at: Int.random(in: 0...bytes.count, using: &random))
        default: bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
      }
      guard let plain = PlainPropertyList.read(bytes) else { continue }
      let library = try? PropertyList(byLibrary: bytes)
      #expect(plain == library, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test func `Each fault has its own error`() {
    func error(_ bytes: [UInt8]) -> PropertyListError? {
      do throws(PropertyListError) {
        _ = try PropertyList.dictionary(from: bytes)
        return nil
      } catch {
        return error
      }
    }
    let nested = String(repeating: "<array>", count: 40) + String(repeating: "</array>", count: 40)
    #expect(error([]) == .empty)
    #expect(error(Array("hello".utf8)) == .malformed)
    #expect(error([UInt8](repeating: 0x20, count: 1 << 20 | 1)) == .tooLarge)
    #expect(error(Array(Fixtures.info.utf8.dropLast(20))) == .truncated)
    #expect(error(Array("<plist>\(nested)</plist>".utf8)) == .tooDeep)
    #expect(error(Array("<plist><string>x</string></plist>".utf8)) == .notDictionary("a string"))
    #expect(error(BinaryFixtures.unfolding) == .tooDeep)
    #expect(error(BinaryFixtures.deep) == .tooDeep)
    #expect(error(BinaryFixtures.cycle) == .malformed)
    #expect(error(BinaryFixtures.shared) == .tooDeep)
    #expect(error(BinaryFixtures.keyWithNULInUTF16) == .malformed)
    #expect(error(BinaryFixtures.keyWithNULInASCII) == .malformed)
  }
}
