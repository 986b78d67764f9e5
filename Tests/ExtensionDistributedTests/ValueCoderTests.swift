internal import Testing
internal import Varlink

@testable internal import ExtensionDistributed

/// Codable values as JSON, and back.
@Suite struct ValueCoderTests {
  private static func there<Value: Codable & Equatable>(_ value: Value, _ json: JSON) throws {
    #expect(try ValueEncoder.encode(value) == json)
    #expect(try ValueDecoder.decode(Value.self, from: json) == value)
  }

  @Test func `Scalars are JSON's own`() throws {
    try Self.there(true, true)
    try Self.there(Int8.min, -128)
    try Self.there(UInt16.max, 65535)
    try Self.there(Int64.min, .integer(.min))
    try Self.there(UInt64.max, .unsigned(.max))
    try Self.there(0.1, 0.1)
    try Self.there(Float(0.5), 0.5)
    try Self.there("a", "a")
    try Self.there(nil as Int?, nil)
    #expect(try ValueDecoder.decode(Double.self, from: 3) == 3)
  }

  @Test func `A number that does not fit is refused`() {
    #expect(throws: DecodingError.self) { try ValueDecoder.decode(Int8.self, from: 128) }
    #expect(throws: DecodingError.self) { try ValueDecoder.decode(UInt.self, from: -1) }
    #expect(throws: DecodingError.self) { try ValueDecoder.decode(Int.self, from: .unsigned(.max)) }
    #expect(throws: DecodingError.self) { try ValueDecoder.decode(Int.self, from: 1.5) }
    #expect(throws: DecodingError.self) { try ValueDecoder.decode(Float.self, from: 1e300) }
    #expect(throws: EncodingError.self) { try ValueEncoder.encode([1, Double.infinity]) }
    #expect(throws: EncodingError.self) { try ValueEncoder.encode(Float.nan) }
  }

  @Test func `Bytes are base64, and nothing else is`() throws {
    // RFC 4648, section 10.
    for (text, encoded) in [
      "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=",
    ] {
      try Self.there(Array(text.utf8), .string(encoded))
    }
    try Self.there([Int](), [])
    try Self.there([[0, 255]] as [[UInt8]], ["AP8="])
    for text in ["Zg", "Zg=", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-_", "é==="] {
      #expect(throws: DecodingError.self) { try ValueDecoder.decode([UInt8].self, from: .string(text)) }
    }
  }

  @Test func `Dictionaries and enumerations are as Codable has them`() throws {
    enum Shape: Codable, Equatable { case none, circle(Int, of: String?) }
    try Self.there(["a": 1], ["a": 1])
    try Self.there([7: "x"], ["7": "x"])
    try Self.there([[1]: true], [[1], true])
    try Self.there(Shape.none, ["none": [:]])
    try Self.there(Shape.circle(1, of: "a"), ["circle": ["_0": 1, "of": "a"]])
    try Self.there(Shape.circle(1, of: nil), ["circle": ["_0": 1]])
    let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("\($0)", $0) })
    #expect(try ValueDecoder.decode([String: Int].self, from: ValueEncoder.encode(many)) == many)
  }

  private class Animal: Codable {
    var name: String
    init(name: String) { self.name = name }
  }

  private final class Dog: Animal {
    enum CodingKeys: CodingKey { case tricks, extra, nothing, list }
    enum Extra: CodingKey { case a }
    var tricks: [String] = []
    var sum = 0

    override init(name: String) { super.init(name: name) }

    required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      tricks = try values.decode([String].self, forKey: .tricks)
      #expect(try values.decodeNil(forKey: .nothing))
      #expect(Set(values.allKeys) == [.tricks, .extra, .nothing, .list])
      let extra = try values.nestedContainer(keyedBy: Extra.self, forKey: .extra)
      sum = try extra.decode(Int.self, forKey: .a)
      var list = try values.nestedUnkeyedContainer(forKey: .list)
      #expect(list.count == 4)
      #expect(try list.decodeNil())
      #expect(try !list.decodeNil())
      sum += try list.decode(Int.self)
      var inner = try list.nestedUnkeyedContainer()
      sum += try inner.decode(Int.self)
      #expect(inner.isAtEnd)
      #expect(throws: DecodingError.self) { try inner.decode(Int.self) }
      sum += try list.nestedContainer(keyedBy: Extra.self).decode(Int.self, forKey: .a)
      try super.init(from: values.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(tricks, forKey: .tricks)
      try values.encodeNil(forKey: .nothing)
      var list = values.nestedUnkeyedContainer(forKey: .list)
      try list.encodeNil()
      try list.encode(2)
      var inner = list.nestedUnkeyedContainer()
      var last = list.nestedContainer(keyedBy: Extra.self)
      try last.encode(8, forKey: .a)
      try inner.encode(4)
      #expect(list.count == 4)
      var extra = values.nestedContainer(keyedBy: Extra.self, forKey: .extra)
      try extra.encode(1, forKey: .a)
      try super.encode(to: values.superEncoder())
    }
  }

  @Test func `Containers in containers, and what a class has above it`() throws {
    let dog = Dog(name: "Rex")
    dog.tricks = ["sit"]
    let json: JSON = [
      "tricks": ["sit"], "nothing": nil, "list": [nil, 2, [4], ["a": 8]], "extra": ["a": 1],
      "super": ["name": "Rex"],
    ]
    #expect(try ValueEncoder.encode(dog) == json)
    let copy = try ValueDecoder.decode(Dog.self, from: json)
    #expect(copy.name == "Rex")
    #expect(copy.tricks == ["sit"])
    #expect(copy.sum == 15)
  }

  @Test func `An error says where`() {
    struct Line: Codable { var text: [String] }
    let json: JSON = [["text": ["a"]], ["text": ["b", 7]]]
    let error = #expect(throws: DecodingError.self) { try ValueDecoder.decode([Line].self, from: json) }
    #expect(error.map { "\(ValueProblem($0))" } == "'[1].text[1]' must be a value of String, not an int")
    let missing = #expect(throws: DecodingError.self) { try ValueDecoder.decode(Line.self, from: [:]) }
    #expect(missing.map { "\(ValueProblem($0))" } == "'text' is missing")
  }

  private struct Chain: Codable { var next: [Chain] }

  @Test func `What is nested deeper than a peer reads is not written`() throws {
    func chain(_ depth: Int) -> Chain { Chain(next: depth <= 1 ? [] : [chain(depth - 1)]) }
    let most = ValueEncoder.maximumDepth / 2
    let call = DistributedInterface.Invoke(
      actor: "a", target: "b", arguments: [try ValueEncoder.encode(chain(most))]
    ).call()
    #expect(throws: Never.self) { try VarlinkMessage(decoding: call.encoded().dropLast()) }
    #expect(throws: EncodingError.self) { try ValueEncoder.encode(chain(most + 1)) }
  }
}
