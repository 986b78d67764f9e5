/// One content of a bundle, as it is announced: at most once.
public struct AnnouncedContent: Hashable, Sendable {
  public var identifier: String
  public var digest: String

  public init(identifier: String, digest: String) {
    self.identifier = identifier
    self.digest = digest
  }
}

/// Something of which the person is told, since it waits for them: an extension, or a host with all that is inside.
public struct Announcement: Hashable, Sendable {
  public var content: AnnouncedContent
  /// What the bundle calls itself. Anything can be in it.
  public var name: String
  /// The host that it is for, as that calls itself; nil for a host.
  public var host: String?
  /// It was approved before, with another content.
  public var isChanged: Bool

  public init(content: AnnouncedContent, name: String, host: String?, isChanged: Bool) {
    self.content = content
    self.name = name
    self.host = host
    self.isChanged = isChanged
  }
}

/// What was announced, and what is about to be.
struct Announcements: Sendable {
  /// Oldest first; nil until it is known, and for good where nothing is announced.
  private(set) var order: [AnnouncedContent]?
  private var known: Set<AnnouncedContent> = []
  /// What may be on the person's screen, each with the identifiers that it speaks of.
  var open: [AnnouncedContent: Set<String>] = [:]
  /// Identifiers to look at when the time has come.
  var waiting: Set<String> = []
  /// In monotonic milliseconds.
  var deadline: Int64?
  var last: Int64?
  /// How often nobody was there to show them.
  var failures = 0

  func knows(_ content: AnnouncedContent) -> Bool { known.contains(content) }

  mutating func load(_ contents: [AnnouncedContent], open: [AnnouncedContent]) {
    order = contents
    known = Set(contents)
    self.open = Dictionary(open.map { ($0, [$0.identifier]) }) { first, _ in first }
  }

  /// Returns those that are still on the screen, and are forgotten now.
  mutating func add(_ contents: [AnnouncedContent], limit: Int) -> [AnnouncedContent] {
    for content in contents where known.insert(content).inserted { order?.append(content) }
    let excess = known.count - limit
    guard excess > 0, let oldest = order?.prefix(excess) else { return [] }
    known.subtract(oldest)
    order?.removeFirst(oldest.count)
    return oldest.filter { open.removeValue(forKey: $0) != nil }
  }

  mutating func remove(_ contents: [AnnouncedContent]) {
    known.subtract(contents)
    for content in contents { open[content] = nil }
    order?.removeAll { !known.contains($0) }
  }
}
