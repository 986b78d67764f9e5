internal import ExtensionInterfaces
internal import LinuxSystem

extension BundleDetails {
  /// Their keys in the dictionary `Extensiond` of Info.plist.
  static let keys = ["Description", "Developer", "HomePage", "License"]
  static let maximumLength = 512

  /// The text on one line; nil where nothing is left.
  static func oneLine(_ text: String) -> String? {
    let words = text.unicodeScalars.split {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }
    return words.isEmpty ? nil : words.map { String($0) }.joined(separator: " ")
  }

  /// What is missing here as another one has it.
  func or(_ other: BundleDetails) -> BundleDetails {
    var details = self
    details.icon = icon ?? other.icon
    details.description = description ?? other.description
    details.developer = developer ?? other.developer
    details.license = license ?? other.license
    details.copyright = copyright ?? other.copyright
    details.homePage = homePage ?? other.homePage
    return details
  }

  /// What is wrong with a value, as `note` is told it after the name of the key.
  func check(_ note: (_ key: String, _ what: String) -> Void) {
    let texts = [
      ("Description", description?.longest), ("Developer", developer?.longest), ("HomePage", homePage),
      ("License", license),
    ]
    for (key, text) in texts where (text ?? "").utf8.count > Self.maximumLength {
      note(key, "is longer than \(Self.maximumLength) bytes; make it shorter")
    }
    if let homePage, !Self.isAddress(homePage) {
      note("HomePage", "is “\(homePage)”; write an address that begins with https://")
    }
  }

  /// Hosts may open it, so it must be of the web.
  private static func isAddress(_ text: String) -> Bool {
    (text.hasPrefix("https://") || text.hasPrefix("http://"))
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

extension LocalizedText {
  fileprivate var longest: String {
    languages.map { text(in: [$0]) }.reduce(text) { $0.utf8.count < $1.utf8.count ? $1 : $0 }
  }
}

extension BundleReading {
  /// Reads what is shown to people: from Info.plist, else from the AppStream component, else from the application around it.
  mutating func readDetails() {
    guard let info else { return }
    var own = BundleDetails()
    var reader = KeyReader(info["Extensiond"]?.dictionary ?? [:], place: "Extensiond in \(infoName)")
    func text(_ key: String) -> String? { reader.string(key).flatMap(BundleDetails.oneLine) }
    own.description = text("Description").map { LocalizedText($0) }
    own.developer = text("Developer").map { LocalizedText($0) }
    own.license = text("License")
    own.homePage = text("HomePage")
    own.check { reader.note(.optionValue, "\($0) in \(reader.place) \($1)") }
    add(reader.problems)
    var infoReader = KeyReader(info, place: infoName)
    own.copyright = infoReader.string("NSHumanReadableCopyright", maximum: BundleDetails.maximumLength)
      .flatMap(BundleDetails.oneLine)
    add(infoReader.problems)
    own.icon = icon(info)
    var around = record.container?.details ?? BundleDetails()
    around.description = nil
    setDetails(own.or(metainfo()).or(around))
  }

  private mutating func icon(_ info: [String: PropertyList]) -> String? {
    var reader = KeyReader(info, place: infoName)
    let name = reader.string("CFBundleIconFile") ?? ""
    add(reader.problems)
    if name.isEmpty { return nil }
    var tried: [String] = []
    for folder in resourceFolders {
      // Apple's tools leave the suffix out.
      for path in ["", ".png", ".svg", ".icns"].map({ folder + name + $0 }) {
        tried.append(path)
        guard !name.hasPrefix("/"),
          let file = try? File.openBeneath(tree.directory.rawValue, path, .path, followLinks: true),
          let status = try? FileStatus(of: file.rawValue), status.kind == .regular
        else { continue }
        guard !isInSignature(status) else {
          note(
            .icon, "the icon “\(path)” lies in \(BundleTree.signature), which no digest covers; move it out")
          return nil
        }
        return record.path + "/" + path
      }
    }
    note(.icon, "the icon of CFBundleIconFile is not there (tried \(tried.joined(separator: ", "))); add it")
    return nil
  }

  private mutating func metainfo() -> BundleDetails {
    guard let identifier = record.identifier,
      let path = (resourceFolders + ["share/metainfo/"]).map({ $0 + identifier + Metainfo.suffix }).first(
        where: {
          tree.entry($0) != nil
        })
    else { return BundleDetails() }
    func fault(_ what: String) { note(.metainfo, "\(path) \(what)") }
    do throws(Errno) {
      let bytes = try tree.read(path, limit: Metainfo.maximumSize)
      do throws(XMLElements.Failure) {
        let metainfo = try Metainfo(bytes)
        if metainfo.identifier != identifier {
          fault("is about \(metainfo.identifier ?? "nothing"); its id must be \(identifier)")
        }
        metainfo.details.check { fault("has a value for \($0) that \($1)") }
        return metainfo.details
      } catch {
        fault("is no AppStream component. \(error)")
      }
    } catch .messageTooLong {
      fault("is larger than \(Metainfo.maximumSize >> 10) KiB; make it smaller")
    } catch {
      fault("cannot be read: \(error)")
    }
    return BundleDetails()
  }

  /// Where files for people are, the one that counts first.
  private var resourceFolders: [String] { [base + "Resources/", base] }
}
