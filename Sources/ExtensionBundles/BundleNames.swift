internal import LinuxSystem

/// What a bundle calls itself, in the first language that the person reads and the bundle speaks.
struct BundleNames {
  /// The display name, or else the name; nil where it has neither.
  private(set) var best: String?
  private(set) var problems: [BundleProblem] = []

  init(tree: BundleTree, base: String, languages: [String], reader: inout KeyReader) {
    let display = reader.string("CFBundleDisplayName")
    let name = reader.string("CFBundleName")
    let region = reader.string("CFBundleDevelopmentRegion")
    let localized = strings(tree: tree, base: base, languages: languages, region: region)
    best =
      [localized["CFBundleDisplayName"], display, localized["CFBundleName"], name].lazy.compactMap(\.self)
      .first { !$0.isEmpty }
  }

  private mutating func strings(
    tree: BundleTree, base: String, languages: [String], region: String?
  ) -> [String: String] {
    guard !languages.isEmpty else { return [:] }
    var files: [String: String] = [:]
    // The folder for resources is looked at last, and so wins.
    for folder in base.isEmpty ? ["", "Resources/"] : [base + "Resources/"] {
      for entry in tree.entries where entry.path.hasSuffix(".lproj/InfoPlist.strings") {
        let language = entry.path.dropFirst(folder.count).dropLast(".lproj/InfoPlist.strings".count)
        if entry.path.hasPrefix(folder), !language.contains("/") { files[Self.normal(language)] = entry.path }
      }
    }
    for language in languages.flatMap(Self.candidates) {
      if let path = files[language] { return read(path, tree: tree) }
      // Info.plist itself is in the language of the one who wrote it.
      if let region, language == Self.normal(region) { return [:] }
    }
    return [:]
  }

  private mutating func read(_ path: String, tree: BundleTree) -> [String: String] {
    do throws(Errno) {
      let bytes = try File.readBeneath(tree.directory.rawValue, path, limit: PropertyList.maximumSize)
      do throws(StringsFile.Failure) {
        return try StringsFile.read(bytes)
      } catch {
        problems.append(BundleProblem(.strings, "\(path) \(error)"))
      }
    } catch {
      problems.append(BundleProblem(.strings, "\(path) cannot be read: \(error)"))
    }
    return [:]
  }

  /// `de_AT.UTF-8` reads `de-at`, then `de`.
  private static func candidates(_ language: String) -> [String] {
    let whole = normal(language.prefix { $0 != "." && $0 != "@" })
    let short = String(whole.prefix { $0 != "-" })
    return whole == short ? [whole] : [whole, short]
  }

  private static func normal(_ language: some StringProtocol) -> String {
    String(language.lowercased().map { $0 == "_" ? "-" : $0 })
  }
}
