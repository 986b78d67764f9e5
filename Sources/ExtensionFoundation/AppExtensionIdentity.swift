internal import ExtensionInterfaces

/// An extension that this host may use: found, valid, and enabled by the person.
public struct AppExtensionIdentity: Hashable, Identifiable, Sendable {
  public let id: String
  public let bundleIdentifier: String
  /// For people, in their language.
  public let localizedName: String
  public let extensionPointIdentifier: String
  public let version: String

  init(_ identity: BrokerInterface.Identity) {
    id = identity.id
    bundleIdentifier = identity.bundleIdentifier
    localizedName = identity.localizedName
    extensionPointIdentifier = identity.extensionPoint
    version = identity.version
  }
}
