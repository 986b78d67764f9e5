/// What a bundle says of itself to people, beside its name.
public struct BundleDetails: Hashable, Sendable {
  /// The absolute path of an image, or a name in the icon theme.
  public var icon: String?
  /// One sentence: what it is for.
  public var description: LocalizedText?
  /// Who made it.
  public var developer: LocalizedText?
  /// Such as `GPL-3.0-or-later`.
  public var license: String?
  /// Whose it is and since when, as its author writes it.
  public var copyright: String?
  /// An address that begins with https:// or http://.
  public var homePage: String?

  public init() {}
}

extension BrokerInterface.Details {
  /// Each text in the first of the languages that it is in; nil where nothing is said.
  public init?(_ details: BundleDetails, in languages: [String]) {
    if details == BundleDetails() { return nil }
    self.init(
      icon: details.icon, description: details.description?.text(in: languages),
      developer: details.developer?.text(in: languages), license: details.license,
      copyright: details.copyright, homePage: details.homePage)
  }
}
