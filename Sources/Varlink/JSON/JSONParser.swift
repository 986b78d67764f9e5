extension JSON {
  /// The depth of arrays and objects that a text may have if the caller does not say otherwise.
  public static let defaultMaximumDepth = 32

  /// Reads one JSON text (RFC 8259) that fills all the bytes.
  ///
  /// Stricter than the RFC where it leaves a choice: a name may occur once in an object, and no string may
  /// hold half a surrogate pair. An integer beyond 64 bits becomes a double, so that a Varlink `float`
  /// accepts it and an `int` does not.
  ///
  /// - Throws: `JSONError` for anything else, deeper nesting than `maximumDepth`, and invalid UTF-8.
  public init(
    parsing bytes: Span<UInt8>, maximumDepth: Int = JSON.defaultMaximumDepth
  ) throws(JSONError) {
    var parser = JSONParser(maximumDepth: maximumDepth)
    self = try parser.document(bytes)
  }

  /// Reads one JSON text that fills all the bytes.
  public init(parsing bytes: [UInt8], maximumDepth: Int = JSON.defaultMaximumDepth) throws(JSONError) {
    try self.init(parsing: bytes.span, maximumDepth: maximumDepth)
  }
}

/// Recursive descent over bytes. They are passed along instead of kept, as a span cannot be kept.
struct JSONParser {
  let maximumDepth: Int
  var index = 0

  init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
  }

  mutating func document(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
    let value = try value(bytes, depth: 0)
    skipWhitespace(bytes)
    guard index == bytes.count else { throw error("There is more after the end of the value.") }
    return value
  }

  private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSON {
    skipWhitespace(bytes)
    guard index < bytes.count else { throw error("The text ends where a value should begin.") }
    switch bytes[index] {
    case UInt8(ascii: "\""):
      return .string(try string(bytes))
    case UInt8(ascii: "{"):
      return .object(try object(bytes, depth: depth + 1))
    case UInt8(ascii: "["):
      return .array(try array(bytes, depth: depth + 1))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try number(bytes)
    case UInt8(ascii: "t"):
      try word("true", bytes)
      return .bool(true)
    case UInt8(ascii: "f"):
      try word("false", bytes)
      return .bool(false)
    case UInt8(ascii: "n"):
      try word("null", bytes)
      return .null
    default:
      throw error("No value begins with this character.")
    }
  }

  private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSON] {
    try enter(depth)
    var elements: [JSON] = []
    if take(UInt8(ascii: "]"), bytes) { return elements }
    repeat {
      elements.append(try value(bytes, depth: depth))
    } while take(UInt8(ascii: ","), bytes)
    guard take(UInt8(ascii: "]"), bytes) else { throw error("Expected ',' or ']' in an array.") }
    return elements
  }

  private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
    try enter(depth)
    var members: [JSONObject.Member] = []
    if take(UInt8(ascii: "}"), bytes) { return JSONObject() }
    // Most have so many; growing to that would allocate three times.
    members.reserveCapacity(4)
    var names = UniqueNames()
    repeat {
      skipWhitespace(bytes)
      let start = index
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
        throw error("Expected the name of a member, in quotes.")
      }
      let name = try string(bytes)
      guard names.insert(name, after: members) else {
        throw JSONError(offset: start, message: "The object has this member already: \(name)")
      }
      guard take(UInt8(ascii: ":"), bytes) else { throw error("Expected ':' after a member's name.") }
      members.append(JSONObject.Member(name: name, value: try value(bytes, depth: depth)))
    } while take(UInt8(ascii: ","), bytes)
    guard take(UInt8(ascii: "}"), bytes) else { throw error("Expected ',' or '}' in an object.") }
    return JSONObject(unique: members)
  }

  private mutating func enter(_ depth: Int) throws(JSONError) {
    guard depth <= maximumDepth else {
      throw error("Arrays and objects are nested more than \(maximumDepth) deep.")
    }
    index += 1
  }

  private mutating func word(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
    let text = word.description.utf8
    guard bytes.count - index >= text.count else { throw error("Expected \(word).") }
    for (offset, byte) in text.enumerated() where bytes[index + offset] != byte {
      throw error("Expected \(word).")
    }
    index += text.count
  }

  private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
    skipWhitespace(bytes)
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): index += 1
      default: return
      }
    }
  }

  func error(_ message: String) -> JSONError {
    JSONError(offset: index, message: message)
  }
}

/// Finds a name that occurs twice. Compares while there are few and hashes when there are many: a peer
/// must not make this quadratic.
private struct UniqueNames {
  private static let few = 16
  private var set: Set<String> = []

  mutating func insert(_ name: String, after members: [JSONObject.Member]) -> Bool {
    if members.count < Self.few { return !members.contains { $0.name == name } }
    if set.isEmpty { set = Set(members.map(\.name)) }
    return set.insert(name).inserted
  }
}
