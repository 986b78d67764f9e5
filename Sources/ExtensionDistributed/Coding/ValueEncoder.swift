internal import Varlink

/// Writes `Encodable` values as JSON values: structures as objects, `[UInt8]` in base64, nil as null.
///
/// Numbers that are not finite cannot be written, nor values in which more than `maximumDepth` containers are nested.
struct ValueEncoder: Encoder {
  /// With what is around a value in a message this stays below what a peer reads.
  static let maximumDepth = JSON.defaultMaximumDepth - 4

  let node: ValueNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// - Throws: `EncodingError`, or what the value's own code throws.
  static func encode(_ value: some Encodable) throws -> JSON {
    let node = ValueNode(depth: 0)
    try node.write(value, at: [])
    return node.json
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(KeyedValueEncoding(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return UnkeyedValueEncoding(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueEncoding(node: node, codingPath: codingPath)
  }
}

private struct KeyedValueEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: ValueNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) throws { try node.member(key).write(nil as Bool?, at: codingPath + [key]) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.member(key).write(value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(ValueKey.super) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: any CodingKey) -> ValueEncoder {
    ValueEncoder(node: node.member(key), codingPath: codingPath + [key])
  }
}

private struct UnkeyedValueEncoding: UnkeyedEncodingContainer {
  let node: ValueNode
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  func encodeNil() throws { try encode(nil as Bool?) }

  func encode(_ value: some Encodable) throws {
    let key = ValueKey(intValue: count)
    try node.element().write(value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder() }

  private func encoder() -> ValueEncoder {
    let key = ValueKey(intValue: count)
    return ValueEncoder(node: node.element(), codingPath: codingPath + [key])
  }
}

private struct SingleValueEncoding: SingleValueEncodingContainer {
  let node: ValueNode
  let codingPath: [any CodingKey]

  func encodeNil() throws { node.become(.null) }
  func encode(_ value: some Encodable) throws { try node.write(value, at: codingPath) }
}
