internal import ExtensionInterfaces

/// An extension that this host may use: found, valid, and enabled by the person.
public struct AppExtensionIdentity: Hashable, Identifiable, Sendable {
  /// Names it to the broker. Stable over updates.
  public let id: String
  /// CFBundleIdentifier.
  public let bundleIdentifier: String
  /// For people, in their language.
  public let localizedName: String
  /// The point that it is bound to.
  public let extensionPointIdentifier: String
  /// CFBundleShortVersionString, or CFBundleVersion where there is none.
  public let version: String

  /// For whoever knows its id alone, which is enough to activate it.
  package init(id: String) {
    self.id = id
    (bundleIdentifier, localizedName, extensionPointIdentifier, version) = ("", "", "", "")
  }

  init(_ identity: BrokerInterface.Identity) {
    id = identity.id
    bundleIdentifier = identity.bundleIdentifier
    localizedName = identity.localizedName
    extensionPointIdentifier = identity.extensionPoint
    version = identity.version
  }
}
