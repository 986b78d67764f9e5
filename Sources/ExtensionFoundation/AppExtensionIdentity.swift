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
  /// What it is for, in one sentence, in the person's language.
  public let localizedDescription: String?
  /// Who made it.
  public let developer: String?
  /// Such as `GPL-3.0-or-later`.
  public let license: String?
  /// An address of the web: it begins with https:// or http://.
  public let homePage: String?
  /// The absolute path of an image, or a name in the icon theme.
  public let icon: String?

  /// For whoever knows its id alone, which is enough to activate it.
  package init(id: String) {
    self.id = id
    (bundleIdentifier, localizedName, extensionPointIdentifier, version) = ("", "", "", "")
    (localizedDescription, developer, license, homePage, icon) = (nil, nil, nil, nil, nil)
  }

  init(_ identity: BrokerInterface.Identity) {
    id = identity.id
    bundleIdentifier = identity.bundleIdentifier
    localizedName = identity.localizedName
    extensionPointIdentifier = identity.extensionPoint
    version = identity.version
    localizedDescription = identity.details?.description
    developer = identity.details?.developer
    license = identity.details?.license
    homePage = identity.details?.homePage
    icon = identity.details?.icon
  }
}

extension AppExtensionIdentity {
  /// Tells the people who look after the extension that it does not do what it should, such as wrong answers: 'extctl
  /// explain' shows it. At most 1 KiB of the message is kept.
  /// - Throws: `AppExtensionError`: `limitReached` where this host says too much in a minute, `extensionNotFound`, …
  public func report(_ message: String) async throws {
    let identifier = id
    _ = try await Blocking.run {
      try Broker.call(BrokerInterface.Report(extension: identifier, message: message))
    }
  }
}
