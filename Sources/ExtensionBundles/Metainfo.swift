internal import ExtensionInterfaces

/// What an AppStream component says that people are shown.
struct Metainfo {
  static let suffix = ".metainfo.xml"
  static let maximumSize = 256 << 10

  private(set) var identifier: String?
  private(set) var details = BundleDetails()

  init(_ bytes: [UInt8]) throws(XMLElements.Failure) {
    let elements = try XMLElements.read(bytes)
    guard elements.last?.path == ["component"] else {
      throw XMLElements.Failure(description: "its outermost element is not component")
    }
    func all(_ path: String...) -> [XMLElements.Element] {
      elements.filter { $0.path == ["component"] + path }
    }
    identifier = all("id").first.flatMap { BundleDetails.oneLine($0.text) }
    details.description = Self.localized(all("summary"))
    details.developer = Self.localized(all("developer", "name")) ?? Self.localized(all("developer_name"))
    details.license = all("project_license").first.flatMap { BundleDetails.oneLine($0.text) }
    details.homePage =
      all("url").first { $0.attributes["type"] == "homepage" }.flatMap { BundleDetails.oneLine($0.text) }
    // Other icons are not files here, or are addresses.
    details.icon =
      all("icon").first { $0.attributes["type"] == "stock" }.flatMap { BundleDetails.oneLine($0.text) }
      .flatMap { $0.contains("/") || $0.utf8.count > 255 ? nil : $0 }
  }

  private static func localized(_ elements: [XMLElements.Element]) -> LocalizedText? {
    var text: String?
    var translations: [String: String] = [:]
    for element in elements {
      guard let line = BundleDetails.oneLine(element.text) else { continue }
      if let language = element.attributes["xml:lang"] {
        translations[language] = line
      } else if text == nil {
        text = line
      }
    }
    return text.map { LocalizedText($0, translations: translations) }
  }
}
