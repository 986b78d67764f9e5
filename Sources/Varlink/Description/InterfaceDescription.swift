/// An interface as its `.varlink` file describes it (UAPI.20, "Interface Definition").
public struct InterfaceDescription: Hashable, Sendable {
  public var name: String
  /// The comment lines before it, without `#` and one blank.
  public var documentation: [String]
  public var members: [Member]

  public struct Member: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      case type(TypeExpression)
      case method(input: [Field], output: [Field])
      case error([Field])
    }
    public var name: String
    public var documentation: [String]
    public var kind: Kind
  }

  public struct Field: Hashable, Sendable {
    public var name: String
    public var documentation: [String]
    public var type: TypeExpression
  }

  public struct Case: Hashable, Sendable {
    public var name: String
    public var documentation: [String]
  }

  public indirect enum TypeExpression: Hashable, Sendable {
    case bool, int, float, string, object, any
    case named(String)
    case structure([Field])
    case enumeration([Case])
    case array(TypeExpression)
    case dictionary(TypeExpression)
    case optional(TypeExpression)
  }
}

/// What is wrong with a `.varlink` file, and where.
public struct DescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  public let line: Int
  public let column: Int
  public let message: String

  public var description: String { "\(line):\(column): error: \(message)" }
}
