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
  /// So many extensions are looked at before others get a turn: there may be tens of thousands.
  static let perTurn = 256

  /// Oldest first; nil until it is known, and for good where nothing is announced.
  private(set) var order: [AnnouncedContent]?
  private var known: Set<AnnouncedContent> = []
  /// What may be on the person's screen, each with the identifiers that it speaks of; and the same the other way round.
  private(set) var open: [AnnouncedContent: Set<String>] = [:]
  private var speaking: [String: Set<AnnouncedContent>] = [:]
  /// Identifiers of which it is to be found out whether they wait for the person.
  private(set) var unseen: [String] = []
  /// Whether everything that was there when the broker had read it was among those.
  var hasSeenAll = false
  /// Identifiers to look at when the time has come.
  var waiting: Set<String> = []
  /// The next notification, while it is put together.
  var next: Next?
  /// Those that the last one only counted, and those of one that nobody showed.
  var counted: [String] = []
  var missed: [String] = []
  /// In monotonic milliseconds.
  var deadline: Int64?
  var last: Int64?
  /// How often nobody was there to show them.
  var failures = 0

  struct Next: Sendable {
    var unseen: [String]
    /// As many as are remembered.
    var due: [AnnouncedContent: Announcement] = [:]
    /// The others, each with one of its identifiers.
    var counted: [AnnouncedContent: String] = [:]
  }

  /// Whether something is to be done in the next turn already.
  var isBusy: Bool { !unseen.isEmpty || next != nil }

  func knows(_ content: AnnouncedContent) -> Bool { known.contains(content) }

  mutating func load(_ contents: [AnnouncedContent], open: [AnnouncedContent]) {
    order = contents
    known = Set(contents)
    for content in open { self.open(content, speakingOf: content.identifier) }
  }

  /// What is on the screen speaks of this identifier, too.
  mutating func open(_ content: AnnouncedContent, speakingOf identifier: String) {
    open[content, default: []].insert(identifier)
    speaking[identifier, default: []].insert(content)
  }

  /// Returns whether it was on the screen.
  @discardableResult
  mutating func close(_ content: AnnouncedContent) -> Bool {
    guard let identifiers = open.removeValue(forKey: content) else { return false }
    for identifier in identifiers {
      speaking[identifier]?.remove(content)
      if speaking[identifier]?.isEmpty == true { speaking[identifier] = nil }
    }
    return true
  }

  /// What is on the screen and speaks of one of these.
  func open(speakingOf identifiers: some Sequence<String>) -> Set<AnnouncedContent> {
    identifiers.reduce(into: []) { contents, identifier in
      if let more = speaking[identifier] { contents.formUnion(more) }
    }
  }

  mutating func see(_ identifiers: some Collection<String>) {
    let isMore = !unseen.isEmpty && identifiers.count > Self.perTurn
    unseen += identifiers
    // However often all of them come, each is looked at once.
    if isMore { unseen = Array(Set(unseen)) }
  }

  /// As many as one turn looks at.
  mutating func takeUnseen() -> [String] { unseen.takeLast(Self.perTurn) }

  /// Returns those that are still on the screen, and are forgotten now.
  mutating func add(_ contents: [AnnouncedContent], limit: Int) -> [AnnouncedContent] {
    for content in contents where known.insert(content).inserted { order?.append(content) }
    let excess = known.count - limit
    guard excess > 0, let oldest = order?.prefix(excess) else { return [] }
    known.subtract(oldest)
    order?.removeFirst(oldest.count)
    return oldest.filter { close($0) }
  }

  mutating func remove(_ contents: [AnnouncedContent]) {
    known.subtract(contents)
    for content in contents { close(content) }
    order?.removeAll { !known.contains($0) }
  }
}

extension [String] {
  /// The last of them, at most so many, which are taken out.
  mutating func takeLast(_ count: Int) -> [String] {
    let taken = Array(suffix(count))
    removeLast(taken.count)
    return taken
  }
}
