import ExtensionBundles
import Testing

@Suite struct StringsFileTests {
  private static let text = """
    /* the name; "not" = "read"; */
    "CFBundleDisplayName" = "Gr\\u00fc\\"ße\\n";  // to the end
    CFBundleName="a";
    """
  private static let expected = ["CFBundleDisplayName": "Grü\"ße\n", "CFBundleName": "a"]

  @Test func `Pairs, comments and escapes are read`() throws {
    #expect(try StringsFile.read(Array(Self.text.utf8)) == Self.expected)
    #expect(try StringsFile.read([0xEF, 0xBB, 0xBF] + Array(Self.text.utf8)) == Self.expected)
    #expect(try StringsFile.read([]) == [:])
  }

  @Test func `UTF-16 of both ends is read`() throws {
    let units = Array(Self.text.utf16)
    let big: [UInt8] =
      [0xFE, 0xFF] + units.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    let little: [UInt8] =
      [0xFF, 0xFE] + units.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(try StringsFile.read(big) == Self.expected)
    #expect(try StringsFile.read(little) == Self.expected)
    #expect(throws: StringsFile.Failure.self) { try StringsFile.read(big + [0]) }
  }

  @Test func `A property list is read too`() throws {
    let list = Fixtures.plist("<key>CFBundleName</key><string>a</string>")
    #expect(try StringsFile.read(Array(list.utf8)) == ["CFBundleName": "a"])
  }

  @Test func `A fault names its line`() {
    for (text, line) in [
      ("\"a\" = \"b\"", "line 1"), ("\"a\" = \"b\";\n\"c", "line 2"), ("\n\n/* x", "line 3"),
      ("= 1;", "line 1"),
    ] {
      do throws(StringsFile.Failure) {
        Issue.record("read: \(try StringsFile.read(Array(text.utf8)))")
      } catch {
        #expect(error.description.hasPrefix(line), "\(error)")
      }
    }
    #expect(throws: StringsFile.Failure.self) { try StringsFile.read([0x22, 0xC3, 0x28]) }
  }

  @Test func `No truncation harms`() {
    let bytes = Array(Self.text.utf8)
    for count in 0..<bytes.count { _ = try? StringsFile.read(Array(bytes[..<count])) }
  }
}
