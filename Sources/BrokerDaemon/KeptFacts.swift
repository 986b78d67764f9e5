internal import BrokerCore
internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

/// What was found in an entry of a root, as the cache keeps it beside the fingerprint of the entry: it says what reading
/// the same files again would say. No digest is in it, that is the fingerprint's alone.
enum KeptFacts {
  /// An application with hundreds of extensions is read each time.
  private static let maximumSize = 64 << 10

  /// Beside the files, what reading depends on. Another program may read in another way, so it is known by its file:
  /// no version has to be remembered to be raised. Empty where nothing can be kept.
  private static let rules: [UInt8] = {
    guard let program = try? FileStatus(at: "/proc/self/exe", followLinks: true) else { return [] }
    var writer = CompactWriter()
    writer.list([
      program.device, program.inode, UInt64(program.size), UInt64(bitPattern: program.modified),
      UInt64(bitPattern: program.changed), UInt64(effectiveUserID), UInt64(Landlock.level),
    ]) { $0.number($1) }
    return writer.bytes
  }()

  /// nil where it is not worth keeping.
  static func encoded(_ facts: [BrokerCore.BundleFacts], rootOwned: Bool) -> [UInt8]? {
    if rules.isEmpty { return nil }
    var writer = CompactWriter()
    writer.bytes = rules
    writer.flag(rootOwned)
    writer.list(facts) { $0.facts($1) }
    assert(
      decoded(writer.bytes, rootIndex: facts[0].rootIndex, rootOwned: rootOwned)
        == facts.map { facts in
          var facts = facts
          facts.digest = nil
          return facts
        }, "something of what is known of a bundle is not kept")
    return writer.bytes.count <= maximumSize ? writer.bytes : nil
  }

  /// Whether they were kept by this program, in a root of the same owner.
  static func mayDecode(_ bytes: [UInt8], rootOwned: Bool) -> Bool {
    !rules.isEmpty && bytes.count > rules.count && bytes.starts(with: rules)
      && (bytes[rules.count] != 0) == rootOwned
  }

  /// nil where they were kept by another program, in a root of another owner, or are none.
  static func decoded(_ bytes: [UInt8], rootIndex: Int, rootOwned: Bool) -> [BrokerCore.BundleFacts]? {
    guard mayDecode(bytes, rootOwned: rootOwned) else { return nil }
    var reader = CompactReader(bytes)
    do throws(CompactReader.Malformed) {
      _ = try reader.take(UInt64(rules.count))
      _ = try reader.flag()
      let facts = try reader.list { reader throws(CompactReader.Malformed) in
        try reader.facts(rootIndex: rootIndex)
      }
      try reader.end()
      return facts.isEmpty ? nil : facts
    } catch {
      return nil
    }
  }
}

extension CompactWriter {
  fileprivate mutating func text(_ text: LocalizedText) {
    self.text(text.text)
    list(text.translations) { writer, translation in
      writer.text(translation.key)
      writer.text(translation.value)
    }
  }

  private mutating func text(_ text: String?) { optional(text) { $0.text($1) } }
  private mutating func text(_ text: LocalizedText?) { optional(text) { $0.text($1) } }
  private mutating func signed(_ value: Int?) { optional(value) { $0.signed(Int64($1)) } }

  fileprivate mutating func facts(_ facts: BrokerCore.BundleFacts) {
    text(facts.path)
    flag(facts.kind == .application)
    text(facts.identifier)
    text(facts.name)
    for text in [facts.extensionPoint, facts.version, facts.buildVersion, facts.program] { self.text(text) }
    flag(facts.rootOwned)
    text(facts.runtime.rawValue)
    let more = facts.more
    optional(more == BrokerCore.BundleFacts.More() ? nil : more) { $0.more($1) }
  }

  private mutating func more(_ more: BrokerCore.BundleFacts.More) {
    let details = more.details
    for text in [details.icon, details.license, details.copyright, details.homePage] { self.text(text) }
    for text in [details.description, details.developer] { self.text(text) }
    for text in [
      more.pointVersion, more.containingPath, more.containingHost, more.incompatibility,
    ] { self.text(text) }
    for texts in [more.entitlements, more.programs, more.arguments] { self.texts(texts) }
    let bounds = more.bounds
    for bound in [bounds.memory, bounds.processes, bounds.cpuWeight, bounds.openFiles, bounds.fileSize] {
      signed(bound)
    }
    optional(more.startTimeout) { $0.signed($1) }
    list(more.points) { $0.point($1) }
  }

  private mutating func point(_ point: PointFacts) {
    text(point.identifier)
    text(point.host)
    flag(point.userInterface)
    text(point.scope.rawValue)
    text(point.instancePolicy.rawValue)
    text(point.version)
    text(point.interface)
  }
}

extension CompactReader {
  private mutating func localized() throws(Malformed) -> LocalizedText {
    let text = try text()
    var translations: [String: String] = [:]
    for _ in 0..<(try number(UInt16.self)) {
      let language = try self.text()
      translations[language] = try self.text()
    }
    return LocalizedText(text, normalTranslations: translations)
  }

  private mutating func choice<Value: RawRepresentable<String>>() throws(Malformed) -> Value {
    guard let value = Value(rawValue: try text()) else { throw Malformed() }
    return value
  }

  private mutating func optionalText() throws(Malformed) -> String? { try flag() ? try text() : nil }
  private mutating func optionalLocalized() throws(Malformed) -> LocalizedText? {
    try flag() ? try localized() : nil
  }
  private mutating func optionalNumber() throws(Malformed) -> Int? { try flag() ? Int(try signed()) : nil }

  fileprivate mutating func facts(rootIndex: Int) throws(Malformed) -> BrokerCore.BundleFacts {
    var facts = BrokerCore.BundleFacts(
      path: try text(), rootIndex: rootIndex, kind: try flag() ? .application : .appExtension)
    facts.identifier = try optionalText()
    facts.name = try optionalLocalized()
    facts.extensionPoint = try optionalText()
    facts.version = try optionalText()
    facts.buildVersion = try optionalText()
    facts.program = try optionalText()
    facts.rootOwned = try flag()
    facts.runtime = try choice()
    if try flag() { facts.more = try more() }
    return facts
  }

  private mutating func more() throws(Malformed) -> BrokerCore.BundleFacts.More {
    var more = BrokerCore.BundleFacts.More()
    more.details.icon = try optionalText()
    more.details.license = try optionalText()
    more.details.copyright = try optionalText()
    more.details.homePage = try optionalText()
    more.details.description = try optionalLocalized()
    more.details.developer = try optionalLocalized()
    more.pointVersion = try optionalText()
    more.containingPath = try optionalText()
    more.containingHost = try optionalText()
    more.incompatibility = try optionalText()
    more.entitlements = try texts()
    more.programs = try texts()
    more.arguments = try texts()
    more.bounds = ResourceBounds(
      memory: try optionalNumber(), processes: try optionalNumber(), cpuWeight: try optionalNumber(),
      openFiles: try optionalNumber(), fileSize: try optionalNumber())
    more.startTimeout = try flag() ? try signed() : nil
    more.points = try list { reader throws(Malformed) in try reader.point() }
    return more
  }

  private mutating func point() throws(Malformed) -> PointFacts {
    var point = PointFacts(identifier: try text(), host: try optionalText())
    point.userInterface = try flag()
    point.scope = try choice()
    point.instancePolicy = try choice()
    point.version = try optionalText()
    point.interface = try optionalText()
    return point
  }
}
