/// A JSON value, as RFC 8259 has it.
public enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent.
  case integer(Int64)
  /// A number without fraction and exponent that is larger than `Int64.max`. Smaller ones are `integer`.
  case unsigned(UInt64)
  /// Any other number. Never an infinity or NaN: JSON has none.
  case double(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON {
  /// The kind of value, for messages: "an object", "null", …
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a bool"
    case .integer, .unsigned: "an int"
    case .double: "a float"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The text without whitespace.
  public var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
}
