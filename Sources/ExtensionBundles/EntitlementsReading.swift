internal import ExtensionInterfaces

/// Reads what Entitlements.plist says: our names, and Apple's for the same.
struct EntitlementsReading {
  /// What is asked for: lines of `Entitlement`, sorted.
  private(set) var lines: [String] = []
  private(set) var problems: [BundleProblem] = []

  /// Apple's names that are the same as one of ours.
  private static let synonyms = [
    "com.apple.security.application-groups": Entitlement.groups,
    "com.apple.security.device.audio-input": Entitlement.Simple.audio.rawValue,
    "com.apple.security.device.microphone": Entitlement.Simple.audio.rawValue,
    "com.apple.security.files.user-selected.read-only": Entitlement.Simple.filesUserSelected.rawValue,
    "com.apple.security.files.user-selected.read-write": Entitlement.Simple.filesUserSelected.rawValue,
    "com.apple.security.network.client": Entitlement.Simple.networkClient.rawValue,
    "com.apple.security.network.server": Entitlement.Simple.networkServer.rawValue,
  ]
  /// Apple's other way round: false asks for none.
  private static let sandbox = "com.apple.security.app-sandbox"

  private let place: String
  private var found: Set<String> = []

  /// `place`: the file's name, for messages.
  init(_ values: [String: PropertyList], place: String) {
    self.place = place
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { read(name, value) }
    if found.count > Entitlement.limit {
      note(
        "asks for \(found.count) things; at most \(Entitlement.limit) groups, destinations and others are read"
      )
      return
    }
    lines = found.sorted()
  }

  private mutating func note(_ text: String) {
    // A file that is wrong all over needs no thousand messages.
    guard problems.count < Entitlement.limit else { return }
    problems.append(BundleProblem(.entitlements, "\(place) \(text)"))
  }

  private mutating func read(_ name: String, _ value: PropertyList) {
    switch Self.synonyms[name] ?? name {
    case Self.sandbox:
      switch value {
      case .boolean(true): break
      case .boolean(false): found.insert(Entitlement.simple(.none).line)
      default: note("has \(value.kindName) for \(name); write true, or false for none")
      }
    case Entitlement.groups: readGroups(name, value)
    case Entitlement.destinations: readNames(name, value)
    case let known:
      guard let simple = Entitlement.Simple(rawValue: known) else {
        return note(
          "asks for “\(name)”, which is not known; known are \(Entitlement.names.joined(separator: ", "))")
      }
      switch value {
      case .boolean(true): found.insert(Entitlement.simple(simple).line)
      case .boolean(false): break
      default: note("has \(value.kindName) for \(name); write true or false")
      }
    }
  }

  private mutating func readGroups(_ name: String, _ value: PropertyList) {
    for group in texts(name, value, "identifiers of groups, such as group.example.Notes") {
      if BundleIdentifier.isValid(group) {
        found.insert(Entitlement.appGroup(group).line)
      } else {
        note("has “\(group)” in \(name), which is malformed; write \(BundleIdentifier.form)")
      }
    }
  }

  private mutating func readNames(_ name: String, _ value: PropertyList) {
    for text in texts(name, value, "names on the session bus, such as org.example.Player") {
      do throws(SessionBusName.Refusal) {
        found.insert(Entitlement.sessionBus(try SessionBusName(text)).line)
      } catch {
        note("has “\(text)” in \(name): \(error.reason)")
      }
    }
  }

  private mutating func texts(_ name: String, _ value: PropertyList, _ what: String) -> [String] {
    if value == .boolean(false) { return [] }
    let texts = value.array?.map(\.string)
    if let texts, texts.allSatisfy({ $0 != nil }) { return texts.compactMap(\.self) }
    let kind = value.array == nil ? value.kindName : "an array of other things than strings"
    note("has \(kind) for \(name); write an array of \(what)")
    return []
  }
}
