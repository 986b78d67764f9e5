/// A Varlink interface as its description declares it (UAPI.20, "Interface Definition").
public struct InterfaceDescription: Hashable, Sendable {
  /// Like `org.varlink.service`.
  public var name: String
  /// The comment before the interface, line by line.
  public var documentation: [String]
  public var members: [Member]

  public init(name: String, documentation: [String] = [], members: [Member]) {
    self.name = name
    self.documentation = documentation
    self.members = members
  }

  /// The member with this name. Types, methods and errors share a namespace.
  public func member(_ name: String) -> Member? {
    members.first { $0.name == name }
  }
}

extension InterfaceDescription {
  /// A type, method or error.
  public struct Member: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      /// A structure or an enumeration.
      case type(Shape)
      case method(input: [Field], output: [Field])
      case error([Field])
    }

    public var name: String
    public var documentation: [String]
    public var kind: Kind

    public init(name: String, documentation: [String] = [], kind: Kind) {
      self.name = name
      self.documentation = documentation
      self.kind = kind
    }
  }

  /// The type of a field.
  public indirect enum Shape: Hashable, Sendable {
    case bool
    case int
    case float
    case string
    case object
    case any
    /// A type of the same interface.
    case named(String)
    case structure([Field])
    case enumeration([Case])
    case array(Shape)
    case dictionary(Shape)
    case nullable(Shape)
  }

  public struct Field: Hashable, Sendable {
    public var name: String
    public var documentation: [String]
    public var shape: Shape

    public init(name: String, documentation: [String] = [], shape: Shape) {
      self.name = name
      self.documentation = documentation
      self.shape = shape
    }
  }

  /// One value of an enumeration.
  public struct Case: Hashable, Sendable {
    public var name: String
    public var documentation: [String]

    public init(name: String, documentation: [String] = []) {
      self.name = name
      self.documentation = documentation
    }
  }
}

extension InterfaceDescription.Member {
  /// All fields in order: those of a structure, an error, or of a method's input and output.
  public var fields: [InterfaceDescription.Field] {
    switch kind {
    case .type(.structure(let fields)), .error(let fields): fields
    case .type: []
    case .method(let input, let output): input + output
    }
  }
}
