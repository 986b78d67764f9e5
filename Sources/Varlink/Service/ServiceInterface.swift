// Made by varlink-generate from org.varlink.service.varlink. Change that file instead.
// swift-format-ignore-file

/// The Varlink Service Interface should be provided by every varlink service.
/// It describes the service and the interfaces it implements.
nonisolated public enum ServiceInterface: VarlinkInterface {
  public static let name = "org.varlink.service"
  public static let description = #"""
    # The Varlink Service Interface should be provided by every varlink service.
    # It describes the service and the interfaces it implements.
    interface org.varlink.service

    # Get a list of all the interfaces a service provides and information
    # about the implementation.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # Get the description of an interface that is implemented by this service.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The requested interface was not found.
    error InterfaceNotFound (interface: string)

    # The requested method was not found
    error MethodNotFound (method: string)

    # The interface defines the requested method, but the service does not
    # implement it.
    error MethodNotImplemented (method: string)

    # One of the passed parameters is invalid.
    error InvalidParameter (parameter: string)

    # Client is denied access
    error PermissionDenied ()

    # Method is expected to be called with 'more' set to true, but wasn't
    error ExpectedMore ()

    # Method is expected to be called with 'upgrade' set to true, but wasn't
    error ExpectedUpgrade ()

    """#

  /// Get a list of all the interfaces a service provides and information
  /// about the implementation.
  public struct GetInfo: VarlinkMethod {
    public static let name = "org.varlink.service.GetInfo"

    public init() {}

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: []) }
    }

    public func writeMembers(to writer: inout JSONWriter) {}

    public struct Reply: VarlinkStructure {
      public var vendor: String
      public var product: String
      public var version: String
      public var url: String
      public var interfaces: [String]

      public init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = interfaces
      }

      public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
        if unknownMembers == .refused {
          try object.refuseMembers(otherThan: [
            "vendor",
            "product",
            "version",
            "url",
            "interfaces",
          ])
        }
        self.vendor = try object.field("vendor", unknownMembers)
        self.product = try object.field("product", unknownMembers)
        self.version = try object.field("version", unknownMembers)
        self.url = try object.field("url", unknownMembers)
        self.interfaces = try object.field("interfaces", unknownMembers)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.member(encoded: "\"vendor\":", self.vendor)
        writer.member(encoded: "\"product\":", self.product)
        writer.member(encoded: "\"version\":", self.version)
        writer.member(encoded: "\"url\":", self.url)
        writer.member(encoded: "\"interfaces\":", self.interfaces)
      }
    }
  }

  /// Get the description of an interface that is implemented by this service.
  public struct GetInterfaceDescription: VarlinkMethod {
    public static let name = "org.varlink.service.GetInterfaceDescription"
    public var interface: String

    public init(interface: String) {
      self.interface = interface
    }

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: ["interface"]) }
      self.interface = try object.field("interface", unknownMembers)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.member(encoded: "\"interface\":", self.interface)
    }

    public struct Reply: VarlinkStructure {
      public var description: String

      public init(description: String) {
        self.description = description
      }

      public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
        if unknownMembers == .refused { try object.refuseMembers(otherThan: ["description"]) }
        self.description = try object.field("description", unknownMembers)
      }

      public func writeMembers(to writer: inout JSONWriter) {
        writer.member(encoded: "\"description\":", self.description)
      }
    }
  }

  /// The requested interface was not found.
  public struct InterfaceNotFound: VarlinkErrorReply {
    public static let name = "org.varlink.service.InterfaceNotFound"
    public var interface: String

    public init(interface: String) {
      self.interface = interface
    }

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: ["interface"]) }
      self.interface = try object.field("interface", unknownMembers)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.member(encoded: "\"interface\":", self.interface)
    }
  }

  /// The requested method was not found
  public struct MethodNotFound: VarlinkErrorReply {
    public static let name = "org.varlink.service.MethodNotFound"
    public var method: String

    public init(method: String) {
      self.method = method
    }

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: ["method"]) }
      self.method = try object.field("method", unknownMembers)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.member(encoded: "\"method\":", self.method)
    }
  }

  /// The interface defines the requested method, but the service does not
  /// implement it.
  public struct MethodNotImplemented: VarlinkErrorReply {
    public static let name = "org.varlink.service.MethodNotImplemented"
    public var method: String

    public init(method: String) {
      self.method = method
    }

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: ["method"]) }
      self.method = try object.field("method", unknownMembers)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.member(encoded: "\"method\":", self.method)
    }
  }

  /// One of the passed parameters is invalid.
  public struct InvalidParameter: VarlinkErrorReply {
    public static let name = "org.varlink.service.InvalidParameter"
    public var parameter: String

    public init(parameter: String) {
      self.parameter = parameter
    }

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: ["parameter"]) }
      self.parameter = try object.field("parameter", unknownMembers)
    }

    public func writeMembers(to writer: inout JSONWriter) {
      writer.member(encoded: "\"parameter\":", self.parameter)
    }
  }

  /// Client is denied access
  public struct PermissionDenied: VarlinkErrorReply {
    public static let name = "org.varlink.service.PermissionDenied"

    public init() {}

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: []) }
    }

    public func writeMembers(to writer: inout JSONWriter) {}
  }

  /// Method is expected to be called with 'more' set to true, but wasn't
  public struct ExpectedMore: VarlinkErrorReply {
    public static let name = "org.varlink.service.ExpectedMore"

    public init() {}

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: []) }
    }

    public func writeMembers(to writer: inout JSONWriter) {}
  }

  /// Method is expected to be called with 'upgrade' set to true, but wasn't
  public struct ExpectedUpgrade: VarlinkErrorReply {
    public static let name = "org.varlink.service.ExpectedUpgrade"

    public init() {}

    public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError) {
      if unknownMembers == .refused { try object.refuseMembers(otherThan: []) }
    }

    public func writeMembers(to writer: inout JSONWriter) {}
  }

  /// A call of one of the methods.
  public enum Call: Hashable, Sendable {
    case getInfo(GetInfo)
    case getInterfaceDescription(GetInterfaceDescription)

    /// Reads a call, strictly. Nil if this interface has no such method.
    public init?(_ call: VarlinkCall) throws(VarlinkDecodingError) {
      switch call.method {
      case GetInfo.name:
        self = .getInfo(try GetInfo(object: call.parameters, unknownMembers: .refused))
      case GetInterfaceDescription.name:
        self = .getInterfaceDescription(try GetInterfaceDescription(object: call.parameters, unknownMembers: .refused))
      default: return nil
      }
    }
  }

  /// An error of this interface.
  public enum Failure: Error, Hashable, Sendable {
    case interfaceNotFound(InterfaceNotFound)
    case methodNotFound(MethodNotFound)
    case methodNotImplemented(MethodNotImplemented)
    case invalidParameter(InvalidParameter)
    case permissionDenied(PermissionDenied)
    case expectedMore(ExpectedMore)
    case expectedUpgrade(ExpectedUpgrade)

    /// Reads the error of a reply. Nil if the reply has none, or none of this interface.
    public init?(_ reply: VarlinkReply) throws(VarlinkDecodingError) {
      switch reply.error {
      case InterfaceNotFound.name:
        self = .interfaceNotFound(try InterfaceNotFound(object: reply.parameters, unknownMembers: .ignored))
      case MethodNotFound.name:
        self = .methodNotFound(try MethodNotFound(object: reply.parameters, unknownMembers: .ignored))
      case MethodNotImplemented.name:
        self = .methodNotImplemented(try MethodNotImplemented(object: reply.parameters, unknownMembers: .ignored))
      case InvalidParameter.name:
        self = .invalidParameter(try InvalidParameter(object: reply.parameters, unknownMembers: .ignored))
      case PermissionDenied.name:
        self = .permissionDenied(try PermissionDenied(object: reply.parameters, unknownMembers: .ignored))
      case ExpectedMore.name:
        self = .expectedMore(try ExpectedMore(object: reply.parameters, unknownMembers: .ignored))
      case ExpectedUpgrade.name:
        self = .expectedUpgrade(try ExpectedUpgrade(object: reply.parameters, unknownMembers: .ignored))
      default: return nil
      }
    }
  }
}
