internal import Varlink

/// A JSON value that is being written. An object, since the containers of an `Encoder` write into one value in any order.
final class ValueNode {
  private enum Content {
    case value(JSON)
    case array([ValueNode])
    case object([(name: String, node: ValueNode)])
  }

  private var content = Content.value(.object([:]))
  /// Of an object's members: where each is.
  private var places: [String: Int] = [:]
  /// Arrays and objects around it.
  private let depth: Int

  init(depth: Int) { self.depth = depth }

  var json: JSON {
    switch content {
    case .value(let json): json
    case .array(let nodes): .array(nodes.map(\.json))
    case .object(let members):
      .object(JSONObject(unique: members.map { .init(name: $0.name, value: $0.node.json) }))
    }
  }

  func write<Value: Encodable>(_ value: Value, at path: [any CodingKey]) throws {
    func failure(_ problem: String) -> EncodingError {
      .invalidValue(value, .init(codingPath: path, debugDescription: problem))
    }
    guard depth <= ValueEncoder.maximumDepth else {
      throw failure("arrays and structures are nested more than \(ValueEncoder.maximumDepth) deep")
    }
    if let scalar = value as? any ValueScalar, Value.self is any ValueScalar.Type {
      guard let json = scalar.json else { throw failure("JSON has no number \(value)") }
      content = .value(json)
    } else if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
      content = .value(.string(Base64.encode(bytes)))
    } else {
      try value.encode(to: ValueEncoder(node: self, codingPath: path))
    }
  }

  func become(_ json: JSON) { content = .value(json) }

  // MARK: Containers. One that was begun is gone on with.

  func becomeObject() {
    if case .object = content { return }
    content = .object([])
  }

  func becomeArray() {
    if case .array = content { return }
    content = .array([])
  }

  var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

  func element() -> ValueNode {
    let node = ValueNode(depth: depth + 1)
    guard case .array(var nodes) = content else { return node }
    content = .array([])
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  /// The value of a member. Of two that are written under one name the later holds.
  func member(_ key: any CodingKey) -> ValueNode {
    let name = key.stringValue
    guard case .object(var members) = content else { return ValueNode(depth: depth + 1) }
    if let place = places[name] { return members[place].node }
    let node = ValueNode(depth: depth + 1)
    places[name] = members.count
    content = .object([])
    members.append((name, node))
    content = .object(members)
    return node
  }
}
