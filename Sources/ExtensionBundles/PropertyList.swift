/// A value of a property list, as in Info.plist.
public enum PropertyList: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case data([UInt8])
  /// Seconds since the start of 2001, UTC.
  case date(Double)
  case array([PropertyList])
  case dictionary([String: PropertyList])

  /// The most bytes that are read, and how deep containers may stand in each other.
  public static let maximumSize = 1 << 20
  public static let maximumDepth = 32

  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  public var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }
  public var dictionary: [String: PropertyList]? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  /// An integer or a real.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// What it is, in words for a message.
  var kindName: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .real: "a real"
    case .boolean: "a boolean"
    case .data: "data"
    case .date: "a date"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}

/// Why bytes are not a property list.
public enum PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  case tooLarge
  case tooDeep
  /// The end is missing.
  case truncated
  case malformed
  /// The outermost value is another one; what it is, in words.
  case notDictionary(String)
  /// Not JSON, or JSON that no property list can say; why, as a sentence.
  case malformedJSON(String)

  public var description: String {
    switch self {
    case .empty: "is empty; write a property list into it"
    case .tooLarge:
      "is larger than \(PropertyList.maximumSize >> 20) MiB; move large data into files of their own"
    case .tooDeep: "nests deeper than \(PropertyList.maximumDepth) levels, or says too much; make it flatter"
    case .truncated: "ends too early; copy it again, whole"
    case .malformed: "is no property list; check it with plutil -lint, and write it as XML (UTF-8) or binary"
    case .notDictionary(let kind): "holds \(kind); its outermost value must be a dictionary"
    case .malformedJSON(let why): "cannot be read as JSON. \(why)"
    }
  }
}
