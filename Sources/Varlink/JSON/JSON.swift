/// A JSON value, as RFC 8259 has it.
public enum JSON: Hashable, Sendable {
  /// Null. In Varlink the same as an absent member.
  case null
  /// True or false.
  case bool(Bool)
  /// A number without fraction and exponent.
  case integer(Int64)
  /// A number without fraction and exponent that is larger than `Int64.max`. Smaller ones are `integer`.
  case unsigned(UInt64)
  /// Any other number. Never an infinity or NaN: JSON has none.
  case double(Double)
  /// A text.
  case string(String)
  /// Values in their order.
  case array([JSON])
  /// Values with names.
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
  /// `nil` is null.
  public init(nilLiteral: ()) { self = .null }
  /// `true` and `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number. It must be finite to be written.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Values in their order.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Members; of two with one name the later holds.
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
}
