internal import Varlink

/// Reads `Decodable` values of JSON values: what `ValueEncoder` writes.
struct ValueDecoder: Decoder {
  let json: JSON
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// - Throws: `DecodingError`, or what the type's own code throws.
  static func decode<Value: Decodable>(_ type: Value.Type, from json: JSON) throws -> Value {
    try read(type, json, at: [])
  }

  static func read<Value: Decodable>(
    _ type: Value.Type, _ json: JSON, at path: [any CodingKey]
  ) throws -> Value {
    if let scalar = type as? any ValueScalar.Type {
      guard let value = scalar.init(json: json) as? Value else { throw mismatch(type, json, at: path) }
      return value
    }
    if type == [UInt8].self {
      guard case .string(let text) = json, let value = Base64.decode(text) as? Value else {
        throw mismatch(type, json, at: path)
      }
      return value
    }
    return try Value(from: ValueDecoder(json: json, codingPath: path))
  }

  static func mismatch(_ type: Any.Type, _ json: JSON, at path: [any CodingKey]) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: path, debugDescription: "must be a value of \(type), not \(json.kind)")
    return json == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = json else {
      throw Self.mismatch([String: JSON].self, json, at: codingPath)
    }
    return KeyedDecodingContainer(KeyedValueDecoding(object: object, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json else { throw Self.mismatch([JSON].self, json, at: codingPath) }
    return UnkeyedValueDecoding(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueDecoding(json: json, codingPath: codingPath)
  }
}

private struct KeyedValueDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// By name: an object finds its members one by one, and a peer may send many.
  let members: [String: JSON]
  let codingPath: [any CodingKey]

  init(object: JSONObject, codingPath: [any CodingKey]) {
    members = Dictionary(object.members.map { ($0.name, $0.value) }) { first, _ in first }
    self.codingPath = codingPath
  }

  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try ValueDecoder.read(type, value(key), at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try superDecoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try superDecoder(forKey: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(
      json: members[ValueKey.super.stringValue] ?? .null, codingPath: codingPath + [ValueKey.super])
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    ValueDecoder(json: try value(key), codingPath: codingPath + [key])
  }

  private func value(_ key: Key) throws -> JSON {
    if let value = members[key.stringValue] { return value }
    throw DecodingError.keyNotFound(
      key, .init(codingPath: codingPath + [key], debugDescription: "is missing"))
  }
}

private struct UnkeyedValueDecoding: UnkeyedDecodingContainer {
  let elements: [JSON]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSON], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try current() == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try ValueDecoder.read(type, current(), at: codingPath + [ValueKey(intValue: currentIndex)])
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try superDecoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = ValueDecoder(
      json: try current(), codingPath: codingPath + [ValueKey(intValue: currentIndex)])
    currentIndex += 1
    return decoder
  }

  private func current() throws -> JSON {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSON.self,
        .init(
          codingPath: codingPath + [ValueKey(intValue: currentIndex)], debugDescription: "is missing"))
    }
    return elements[currentIndex]
  }
}

private struct SingleValueDecoding: SingleValueDecodingContainer {
  let json: JSON
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { json == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try ValueDecoder.read(type, json, at: codingPath)
  }
}
