import Testing
import Varlink

@Suite("JSON") struct JSONTests {
  static func parse(_ text: String, depth: Int = JSON.defaultMaximumDepth) throws -> JSON {
    try JSON(parsing: Array(text.utf8), maximumDepth: depth)
  }

  @Test(
    arguments: [
      ("null", nil), (" true ", true), ("false\n", false), ("0", 0), ("-0", 0), ("-1", -1), ("[]", []),
      ("{}", [:]), ("[ 1 , 2 ]", [1, 2]), ("{ \"a\" : [ {} ] }", ["a": [[:]]]),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
      ("18446744073709551616", .double(18_446_744_073_709_551_616)),
      ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
      ("99999999999999999999999", .double(1e23)),
      ("1.0", .double(1)), ("1e2", .double(100)), ("-1.5E-1", .double(-0.15)),
      ("5e-324", .double(.leastNonzeroMagnitude)),
      (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz"), (#""\u0000""#, "\0"),
      (#""\u00e9\u00E9é""#, "ééé"), (#""\ud83d\ude00!""#, "😀!"), (#""x\u007f""#, "x\u{7f}"),
    ] as [(String, JSON)])
  func `a valid text has its value`(text: String, value: JSON) throws {
    #expect(try Self.parse(text) == value)
  }

  @Test(
    arguments: [
      ("", 0), (" ", 1), ("nul", 0), ("nullx", 4), ("True", 0), ("1 2", 2), ("01", 0), ("-", 1), ("-01", 1),
      ("+1", 0), (".5", 0), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("1e400", 0), ("NaN", 0),
      ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[", 1), ("[1", 2), ("]", 0), ("{", 1), ("{\"a\"}", 4),
      ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{\"a\":1 \"b\":2}", 7), ("{1:2}", 1),
      ("{\"a\":1,\"a\":2}", 7), ("{\"a\":1,\"\\u0061\":2}", 7), ("\"", 1), ("\"\u{1}\"", 1), ("\"a\nb\"", 2),
      ("\"a\0\"", 2), ("1\0", 1), (#""\x""#, 1), (#""\u12""#, 1), (#""\u12g4""#, 1), (#""\ud800""#, 1),
      (#""\udc00""#, 1), (#""\ud800\u0041""#, 1), (#""\ud800x""#, 1), ("'a'", 0), ("\u{FEFF}1", 0),
      ("// a\n1", 0),
    ] as [(String, Int)])
  func `an invalid text is refused at the right byte`(text: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try Self.parse(text) }
    #expect(error?.offset == offset, "\(String(describing: error))")
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func `invalid UTF-8 is refused in plain and escaped strings`(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    #expect(throws: JSONError.self) { try JSON(parsing: [quote] + bytes + [quote]) }
    #expect(throws: JSONError.self) { try JSON(parsing: Array(#""\n"#.utf8) + bytes + [quote]) }
    #expect(throws: JSONError.self) { try JSON(parsing: [quote] + bytes + Array(#"\n""#.utf8)) }
  }

  @Test func `nesting is bounded`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try Self.parse(nested(32)) }
    #expect(throws: JSONError.self) { try Self.parse(nested(33)) }
    #expect(throws: JSONError.self) { try Self.parse(String(repeating: "{\"a\":", count: 100_000)) }
    #expect(throws: JSONError.self) { try Self.parse("[[]]", depth: 1) }
  }

  @Test func `each truncation of a text is refused`() throws {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00é"],"b":{"c":null,"d":true}}"#.utf8)
    #expect(throws: Never.self) { try JSON(parsing: text) }
    for count in 0..<text.count {
      #expect(throws: JSONError.self, "\(count) bytes") { try JSON(parsing: Array(text[..<count])) }
    }
  }

  @Test func `a name that occurs twice is found among many`() throws {
    let members = (0..<5000).map { "\"name\($0)\":\($0)" }
    #expect(throws: Never.self) { try Self.parse("{\(members.joined(separator: ","))}") }
    let error = #expect(throws: JSONError.self) {
      try Self.parse("{\((members + ["\"name17\":0"]).joined(separator: ","))}")
    }
    #expect(error?.message.contains("name17") == true)
  }

  @Test(
    arguments: [
      (nil, "null"), (true, "true"), (.integer(.min), "-9223372036854775808"),
      (.unsigned(.max), "18446744073709551615"), (1.5, "1.5"), (.double(1), "1.0"),
      (.double(1e300), "1e+300"),
      ("é\"\\/\n\r\t\u{0}\u{1f}\u{7f}😀", #""é\"\\/\n\r\t\u0000\u001f"# + "\u{7f}😀\""),
      ([], "[]"), ([1, [], [2, nil]], "[1,[],[2,null]]"), ([:], "{}"),
      (["b": 1, "a": ["c": "["], "d": ","], #"{"b":1,"a":{"c":"["},"d":","}"#),
    ] as [(JSON, String)])
  func `a value is written without whitespace and reads back`(value: JSON, text: String) throws {
    #expect(value.text == text)
    #expect(try Self.parse(text) == value)
  }

  @Test func `the text for people has a line for each member`() throws {
    let value: JSON = ["a": [1, ["b": nil]], "c": [], "d": [:]]
    #expect(
      value.prettyText == """
        {
          "a": [
            1,
            {
              "b": null
            }
          ],
          "c": [],
          "d": {}
        }
        """)
    #expect(try Self.parse(value.prettyText) == value)
  }

  @Test func `objects keep their order and are equal without it`() throws {
    let object: JSONObject = ["b": 1, "a": 2]
    #expect(object.members.map(\.name) == ["b", "a"])
    #expect(object == ["a": 2, "b": 1])
    #expect(object.hashValue == (["a": 2, "b": 1] as JSONObject).hashValue)
    #expect(object != ["a": 2, "b": 2])
    #expect(object != ["a": 2])
    var changed = object
    changed["b"] = nil
    changed["c"] = 3
    changed["a"] = 4
    #expect(changed == ["a": 4, "c": 3])
  }
}
