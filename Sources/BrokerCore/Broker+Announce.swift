internal import ExtensionInterfaces

// Which of what waits for approval the person is told of: each content once, and not one by one where many come at once.

extension Broker {
  /// Until this has come nothing is announced: it is not known what was.
  mutating func announcementsLoaded(_ contents: [AnnouncedContent], open: [AnnouncedContent]) {
    announcements.load(contents, open: open)
    considerAnnouncing()
  }

  /// Everything that is there.
  mutating func considerAnnouncing() {
    let gone = announcements.open.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    considerAnnouncing(gone.union(catalog.bundles.values.compactMap(\.identifier)))
  }

  /// What the person has decided about elsewhere, or cannot any more, need not be on the screen.
  private mutating func withdrawAnnouncements(of identifiers: Set<String>) {
    let over = announcements.open.filter { content, speaksOf in
      !speaksOf.isDisjoint(with: identifiers)
        && !speaksOf.contains { announcement(of: $0)?.content == content || mayBeUnread($0) }
    }
    if over.isEmpty { return }
    for content in over.keys { announcements.open[content] = nil }
    effects.append(.withdrawAnnouncements(over.keys.sorted { $0.identifier < $1.identifier }))
  }

  /// It may be in a root whose file system has not answered.
  private func mayBeUnread(_ identifier: String) -> Bool {
    !unreadRoots.isEmpty && catalog.matching(identifier).isEmpty
  }

  /// What comes with these is announced a little later: others may come with it, and a person who approves at once is
  /// not told.
  mutating func considerAnnouncing(_ identifiers: Set<String>) {
    guard announcements.order != nil, knowsBundles else { return }
    // What was announced of an application's own extensions has the application's name.
    for identifier in identifiers {
      guard let content = announcement(of: identifier)?.content, announcements.open[content] != nil else {
        continue
      }
      announcements.open[content]?.insert(identifier)
    }
    withdrawAnnouncements(of: identifiers)
    let new = identifiers.filter { identifier in
      announcement(of: identifier).map { !announcements.knows($0.content) } ?? false
    }
    if new.isEmpty { return }
    announcements.waiting.formUnion(new)
    announcements.failures = 0
    let soon = now.monotonic + limits.announcementDelay
    let after = announcements.last.map { $0 + limits.announcementInterval } ?? soon
    announcements.deadline = announcements.deadline ?? max(soon, after)
  }

  mutating func announceWhatIsDue() {
    guard let deadline = announcements.deadline, deadline <= now.monotonic else { return }
    announcements.deadline = nil
    var due: [AnnouncedContent: Announcement] = [:]
    for identifier in announcements.waiting {
      guard let announcement = announcement(of: identifier), !announcements.knows(announcement.content) else {
        continue
      }
      due[announcement.content] = announcement
      announcements.open[announcement.content, default: []].insert(identifier)
    }
    announcements.waiting = []
    if due.isEmpty { return }
    announcements.last = now.monotonic
    let forgotten = announcements.add(Array(due.keys), limit: limits.rememberedAnnouncements)
    if !forgotten.isEmpty { effects.append(.withdrawAnnouncements(forgotten)) }
    effects.append(.announce(due.values.sorted { $0.content.identifier < $1.content.identifier }))
  }

  /// Nobody was there to show them. At the start of a session that may change soon.
  mutating func announcementFailed(_ contents: [AnnouncedContent]) {
    let speaksOf = contents.flatMap { announcements.open[$0] ?? [$0.identifier] }
    announcements.remove(contents)
    guard announcements.failures < limits.announcementTries else { return }
    announcements.waiting.formUnion(speaksOf)
    let next = now.monotonic + limits.announcementInterval << announcements.failures
    announcements.failures += 1
    announcements.deadline = announcements.deadline ?? next
  }

  /// What the person has to decide about, so that hosts may use this extension; nil where nothing waits for them.
  private func announcement(of identifier: String) -> Announcement? {
    guard let facts = catalog.winner(identifier), let entry = catalog.entry(identifier), !facts.isDeveloped
    else { return nil }
    guard [.unapproved, .changed].contains(entry.state) else { return nil }
    let host = catalog.ownHost(of: facts)
    let subject = host ?? facts
    guard let name = subject.identifier, let digest = subject.digest else { return nil }
    return Announcement(
      content: .init(identifier: name, digest: digest),
      name: subject.name?.text(in: languages) ?? name, host: host == nil ? hostName(of: facts) : nil,
      isChanged: entry.state == .changed)
  }

  private func hostName(of facts: BundleFacts) -> String {
    let point = facts.extensionPoint ?? ""
    guard let host = catalog.point(point)?.host else { return point }
    return catalog.applications(host).first?.name?.text(in: languages) ?? host
  }
}
