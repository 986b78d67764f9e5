internal import ExtensionInterfaces

/// What the compiler shall write down with `-emit-const-values`, for `extctl bundle`: the definitions of points.
public protocol ExtensionPointDefining {}

/// A place in a host that extensions can fill.
public struct AppExtensionPoint: Hashable, Identifiable, Sendable, ExtensionPointDefining {
  /// `<host identifier>.<name>`; in a definition only the name, until the host's identifier is known.
  public let id: String
  public let presentsUserInterface: Bool
  public let restriction: Scope.Restriction

  /// A point by its full identifier, such as `org.example.Editor.Spelling`.
  /// - Throws: `Error.invalidAppExtensionPoint` where it is none.
  public init(identifier: StaticString) throws {
    guard BundleIdentifier.isValid(identifier.description) else { throw Error.invalidAppExtensionPoint }
    self.init(id: identifier.description, presentsUserInterface: false, restriction: .application)
  }

  package init(id: String, presentsUserInterface: Bool = false, restriction: Scope.Restriction = .none) {
    self.id = id
    self.presentsUserInterface = presentsUserInterface
    self.restriction = restriction
  }

  /// What an extension has whose code names no point.
  static let unbound = AppExtensionPoint(id: "", presentsUserInterface: false, restriction: .application)

  /// The identifier on the wire. A name without a host belongs to this program.
  package func fullIdentifier() throws -> String {
    guard !id.isEmpty else { throw Error.unspecifiedAppExtensionPointName }
    if BundleIdentifier.isValid(id) { return id }
    guard let host = AppExtensionHost.identifier else { throw Error.hostMustHaveBundleIdentifier }
    let identifier = "\(host).\(id)"
    guard BundleIdentifier.isValid(identifier) else { throw Error.invalidAppExtensionPoint }
    return identifier
  }
}

extension AppExtensionPoint {
  /// Why a request about points failed.
  public enum Error: Swift.Error, Hashable, Sendable {
    /// Never thrown here: any program may be a host.
    case hostMustBeApplicationOrAppExtension
    /// No `.appextensionpoint` file defines this point.
    case hostMustDefineAppExtensionPoint(String)
    /// Set `AppExtensionHost.identifier`, or the variable EXTENSIOND_HOST_IDENTIFIER.
    case hostMustHaveBundleIdentifier
    /// The identifier is not reverse-DNS, such as `org.example.Editor.Spelling`.
    case invalidAppExtensionPoint
    /// The definition's `Name` is empty.
    case unspecifiedAppExtensionPointName
  }

  /// One line of a `@Definition`.
  public protocol Attribute: Sendable {
    func apply(to draft: inout Draft)
  }

  /// What a definition's lines fill in.
  public struct Draft: Sendable {
    var name = ""
    var presentsUserInterface = false
    var restriction = Scope.Restriction.application
  }

  /// The point's name, unique in its host.
  public struct Name: Attribute {
    let value: String
    public init(_ value: StaticString) { self.value = value.description }
    public func apply(to draft: inout Draft) { draft.name = value }
  }

  /// Whether extensions show an interface of their own.
  public struct UserInterface: Attribute {
    public let value: Bool
    public init(_ value: Bool) { self.value = value }
    public func apply(to draft: inout Draft) { draft.presentsUserInterface = value }
  }

  /// Every extension is sandboxed here, so this changes nothing.
  public struct EnhancedSecurity: Attribute {
    public let value: Bool
    public init(_ value: Bool) { self.value = value }
    public func apply(to draft: inout Draft) {}
  }

  /// Which extensions may fill the point.
  public struct Scope: Attribute {
    public enum Restriction: Hashable, Sendable {
      /// Those inside the host's bundle.
      case application
      /// Any that the person approved.
      case none
    }
    let restriction: Restriction
    public init(restriction: Restriction) { self.restriction = restriction }
    public func apply(to draft: inout Draft) { draft.restriction = restriction }
  }

  /// Builds a point: its `Name` first, then the other attributes in any order.
  @resultBuilder
  public enum Definition {
    public static func buildBlock<each A: Attribute>(
      _ name: Name, _ attributes: repeat each A
    ) -> AppExtensionPoint {
      var draft = Draft()
      name.apply(to: &draft)
      for attribute in repeat each attributes { attribute.apply(to: &draft) }
      return AppExtensionPoint(
        id: draft.name, presentsUserInterface: draft.presentsUserInterface, restriction: draft.restriction)
    }
  }

  /// Names the point that an extension is for.
  public struct Identifier: Hashable, Sendable {
    let value: String
    public init(_ value: StaticString) { self.value = value.description }
    public init(host: StaticString, name: StaticString) { value = "\(host).\(name)" }
  }

  /// Builds the point that an extension is for, from its `Identifier`.
  @resultBuilder
  public enum Bind {
    public static func buildBlock(_ identifier: Identifier) -> AppExtensionPoint {
      AppExtensionPoint(id: identifier.value, presentsUserInterface: false, restriction: .none)
    }
  }
}
