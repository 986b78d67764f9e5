internal import ExtensionInterfaces

/// What the compiler shall write down with `-emit-const-values`, for `extctl bundle`: the definitions of points.
public protocol ExtensionPointDefining {}

/// A place in a host that extensions can fill.
public struct AppExtensionPoint: Hashable, Identifiable, Sendable, ExtensionPointDefining {
  /// `<host identifier>.<name>`; in a definition only the name, until the host's identifier is known.
  public let id: String
  /// Whether extensions show an interface of their own: what `UserInterface` says in the definition.
  public let presentsUserInterface: Bool
  /// Which extensions may fill it: what `Scope` says in the definition.
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
    /// Fills in what this line says.
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
    /// The part of the identifier after the host's, such as `Spelling`.
    public init(_ value: StaticString) { self.value = value.description }
    /// Sets the name.
    public func apply(to draft: inout Draft) { draft.name = value }
  }

  /// Whether extensions show an interface of their own.
  public struct UserInterface: Attribute {
    /// Whether they do.
    public let value: Bool
    /// The default, without this line, is false.
    public init(_ value: Bool) { self.value = value }
    /// Sets whether they do.
    public func apply(to draft: inout Draft) { draft.presentsUserInterface = value }
  }

  /// Every extension is sandboxed here, so this changes nothing.
  public struct EnhancedSecurity: Attribute {
    /// What the code asks for.
    public let value: Bool
    /// Accepted with either value, for code that is shared with macOS.
    public init(_ value: Bool) { self.value = value }
    /// Does nothing.
    public func apply(to draft: inout Draft) {}
  }

  /// Which extensions may fill the point.
  public struct Scope: Attribute {
    /// Where an extension must be.
    public enum Restriction: Hashable, Sendable {
      /// Those inside the host's bundle.
      case application
      /// Any that the person approved.
      case none
    }
    let restriction: Restriction
    /// The default, without this line, is `application`.
    public init(restriction: Restriction) { self.restriction = restriction }
    /// Sets the restriction.
    public func apply(to draft: inout Draft) { draft.restriction = restriction }
  }

  /// Builds a point: its `Name` first, then the other attributes in any order.
  @resultBuilder
  public enum Definition {
    /// Makes the point of the lines; the compiler calls it.
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
    /// The point's full identifier, such as `org.example.Editor.Spelling`.
    public init(_ value: StaticString) { self.value = value.description }
    /// The host's identifier and the `Name` in its definition.
    public init(host: StaticString, name: StaticString) { value = "\(host).\(name)" }
  }

  /// Builds the point that an extension is for, from its `Identifier`.
  @resultBuilder
  public enum Bind {
    /// Makes the point of its identifier; the compiler calls it.
    public static func buildBlock(_ identifier: Identifier) -> AppExtensionPoint {
      AppExtensionPoint(id: identifier.value, presentsUserInterface: false, restriction: .none)
    }
  }
}
