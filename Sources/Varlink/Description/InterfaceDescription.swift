/// A Varlink interface as its description declares it (UAPI.20, "Interface Definition").
public struct InterfaceDescription: Hashable, Sendable {
  /// Like `org.varlink.service`.
  public var name: String
  /// The comment before the interface, line by line.
  public var documentation: [String]
  /// Types, methods and errors, in the order of the text.
  public var members: [Member]

  /// A description that was not read from a text. Nothing is checked.
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
    /// What sort of member it is.
    public enum Kind: Hashable, Sendable {
      /// A structure or an enumeration.
      case type(Shape)
      /// A method, with what is sent and what is answered.
      case method(input: [Field], output: [Field])
      /// An error, with its parameters.
      case error([Field])
    }

    /// Without the interface's name.
    public var name: String
    /// The comment before it, line by line.
    public var documentation: [String]
    /// What sort of member it is, with its fields.
    public var kind: Kind

    /// A member that was not read from a text.
    public init(name: String, documentation: [String] = [], kind: Kind) {
      self.name = name
      self.documentation = documentation
      self.kind = kind
    }
  }

  /// The type of a field.
  public indirect enum Shape: Hashable, Sendable {
    /// True or false.
    case bool
    /// A whole number of 64 bits.
    case int
    /// A finite number.
    case float
    /// A text in UTF-8.
    case string
    /// A foreign object, whose members nobody checks.
    case object
    /// Any value but null.
    case any
    /// A type of the same interface.
    case named(String)
    /// Fields, in their order.
    case structure([Field])
    /// One of these names.
    case enumeration([Case])
    /// Any number of one type.
    case array(Shape)
    /// Values of one type, by names.
    case dictionary(Shape)
    /// The type, or null, or absent.
    case nullable(Shape)
  }

  /// A field of a structure, or a parameter.
  public struct Field: Hashable, Sendable {
    /// As it is in JSON.
    public var name: String
    /// The comment before it, line by line.
    public var documentation: [String]
    /// Its type.
    public var shape: Shape

    /// A field that was not read from a text.
    public init(name: String, documentation: [String] = [], shape: Shape) {
      self.name = name
      self.documentation = documentation
      self.shape = shape
    }
  }

  /// One value of an enumeration.
  public struct Case: Hashable, Sendable {
    /// As it is in JSON.
    public var name: String
    /// The comment before it, line by line.
    public var documentation: [String]

    /// A value that was not read from a text.
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
