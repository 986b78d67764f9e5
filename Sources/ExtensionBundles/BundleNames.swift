internal import ExtensionInterfaces
internal import LinuxSystem

/// What a bundle calls itself, in every language that it speaks: `CFBundleDisplayName`, or else `CFBundleName`, each from
/// `<language>.lproj/InfoPlist.strings` before Info.plist.
struct BundleNames {
  let best: LocalizedText
  private(set) var problems: [BundleProblem] = []

  static let maximumLanguages = 100
  static let maximumFileSize = 64 << 10
  static let maximumLength = 255

  private static let keys = ["CFBundleDisplayName", "CFBundleName"]

  /// `otherwise`: the name where it has none.
  init(tree: BundleTree, base: String, otherwise: LocalizedText, reader: inout KeyReader) {
    let region = reader.string("CFBundleDevelopmentRegion")
    let own = Self.keys.map { reader.string($0) ?? "" }
    for (key, name) in zip(Self.keys, own) where name.utf8.count > Self.maximumLength {
      reader.note(.optionValue, "\(key) in \(reader.place) \(Self.tooLong)")
    }
    var translations: [String: String] = [:]
    let files = Self.files(tree: tree, base: base)
    if files.count > Self.maximumLanguages {
      problems.append(
        BundleProblem(
          .strings,
          "there are names in \(files.count) languages; at most \(Self.maximumLanguages) are read, so leave some out"
        ))
    }
    for (language, path) in files.sorted(by: { $0.key < $1.key }).prefix(Self.maximumLanguages) {
      let strings = Self.strings(path, tree: tree, problems: &problems)
      // A display name in any language comes before a name.
      let names = zip(Self.keys, own).flatMap { key, own in [strings[key] ?? "", own] }
      translations[language] = names.first { !$0.isEmpty } ?? otherwise.text(in: [language])
    }
    guard let name = own.first(where: { !$0.isEmpty }) else {
      for language in otherwise.languages where translations[language] == nil {
        translations[language] = otherwise.text(in: [language])
      }
      best = LocalizedText(otherwise.text, translations: translations)
      return
    }
    best = LocalizedText(name, translations: translations, region: region)
  }

  /// The strings files by language.
  private static func files(tree: BundleTree, base: String) -> [String: String] {
    var files: [String: String] = [:]
    // The folder for resources is looked at last, and so wins.
    let suffix = ".lproj/InfoPlist.strings"
    let paths = tree.entries.lazy.map(\.path).filter { $0.hasSuffix(suffix) }
    for folder in base.isEmpty ? ["", "Resources/"] : [base + "Resources/"] {
      for path in paths where path.utf8.starts(with: folder.utf8) {
        let language = path.utf8.dropFirst(folder.utf8.count).dropLast(suffix.utf8.count)
        if language.contains(UInt8(ascii: "/")) { continue }
        files[LocalizedText.normal(Substring(language))] = path
      }
    }
    return files
  }

  private static func strings(
    _ path: String, tree: BundleTree, problems: inout [BundleProblem]
  ) -> [String: String] {
    func fault(_ what: String) { problems.append(BundleProblem(.strings, "\(path) \(what)")) }
    do throws(Errno) {
      let bytes = try tree.read(path, limit: maximumFileSize)
      do throws(StringsFile.Failure) {
        let strings = try StringsFile.read(bytes)
        for key in keys where (strings[key] ?? "").utf8.count > maximumLength { fault("\(key) \(tooLong)") }
        return strings
      } catch {
        fault(error.description)
      }
    } catch .messageTooLong {
      fault("is larger than \(maximumFileSize >> 10) KiB; leave out what is no name")
    } catch {
      fault("cannot be read: \(error)")
    }
    return [:]
  }

  private static let tooLong = "is longer than \(maximumLength) bytes; write a shorter name"
}
