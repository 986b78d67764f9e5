/// A text for people, in several languages. The one place of how a language is chosen.
public struct LocalizedText: Hashable, Sendable {
  /// What it is where no language fits.
  public let text: String
  /// By language, as `normal` writes it.
  package let translations: [String: String]

  /// What another one holds.
  package init(_ text: String, normalTranslations: [String: String]) {
    (self.text, translations) = (text, normalTranslations)
  }

  /// `region`: the language of `text`, where it is known. A translation into that one takes the text's place.
  public init(_ text: String, translations: [String: String] = [:], region: String? = nil) {
    var known: [String: String] = [:]
    for (language, translation) in translations { known[Self.normal(language)] = translation }
    guard let region else {
      (self.text, self.translations) = (text, known)
      return
    }
    self.text = Self.candidates(region).lazy.compactMap { known[$0] }.first ?? text
    known[Self.normal(region)] = self.text
    self.translations = known
  }

  /// The text in the first of these languages that it is in. Each is looked for whole, then without its region.
  /// They may be written as `de_AT.UTF-8`, `de-AT` or `de`.
  public func text(in languages: [String]) -> String {
    languages.lazy.flatMap(Self.candidates).compactMap { translations[$0] }.first ?? text
  }

  /// The languages that it is in, as `normal` writes them.
  public var languages: some Collection<String> { translations.keys }

  /// `de_AT.UTF-8` is `de-at`.
  public static func normal(_ language: some StringProtocol) -> String {
    let bytes = language.utf8
    // Nearly all are written like this already.
    if bytes.allSatisfy({ Self.isNormal($0) }) { return String(language) }
    return String(language.prefix { $0 != "." && $0 != "@" }.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  private static func isNormal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// `zh-Hans-CN` reads `zh-hans-cn`, `zh-hans`, then `zh`.
  private static func candidates(_ language: String) -> [String] {
    var candidates = [normal(language)]
    while let last = candidates.last, let dash = last.lastIndex(of: "-") {
      candidates.append(String(last[..<dash]))
    }
    return candidates
  }
}
