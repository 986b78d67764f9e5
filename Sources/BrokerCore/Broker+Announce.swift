internal import ExtensionInterfaces

// Which of what waits for approval the person is told of: each content once, and not one by one where many come at once.

extension Broker {
  /// Until this has come nothing is announced: it is not known what was.
  mutating func announcementsLoaded(_ contents: [AnnouncedContent], open: [AnnouncedContent]) {
    announcements.load(contents, open: open)
    considerAnnouncing()
  }

  /// Everything that is there, once that is known. Later changes are looked at as they come.
  mutating func considerAnnouncing() {
    if !announcements.hasSeenAll, announcements.order != nil, knowsBundles {
      announcements.hasSeenAll = true
      announcements.see(catalog.bundles.values.compactMap(\.identifier))
    }
    // Of these some may be gone, or have been in a root that was not read.
    considerAnnouncing(announcements.open.values.reduce(into: []) { $0.formUnion($1) })
  }

  /// What comes with these is announced a little later: others may come with it, and a person who approves at once is
  /// not told.
  mutating func considerAnnouncing(_ identifiers: Set<String>) {
    // Before all of it is seen at once.
    guard announcements.hasSeenAll else { return }
    announcements.see(identifiers)
    seeWhatWaits()
  }

  private mutating func seeWhatWaits() {
    let identifiers = announcements.takeUnseen()
    var isNew = false
    for identifier in identifiers {
      guard let content = waiting(identifier)?.content else { continue }
      // What was announced of an application's own extensions has the application's name.
      if announcements.open[content] != nil { announcements.open(content, speakingOf: identifier) }
      if announcements.knows(content) { continue }
      announcements.waiting.insert(identifier)
      isNew = true
    }
    withdrawAnnouncements(of: identifiers)
    guard isNew else { return }
    announcements.failures = 0
    let soon = now.monotonic + limits.announcementDelay
    let after = announcements.last.map { $0 + limits.announcementInterval } ?? soon
    announcements.deadline = announcements.deadline ?? max(soon, after)
  }

  /// What the person has decided about elsewhere, or cannot any more, need not be on the screen.
  private mutating func withdrawAnnouncements(of identifiers: [String]) {
    let over = announcements.open(speakingOf: identifiers).filter { content in
      !(announcements.open[content] ?? []).contains {
        waiting($0)?.content == content || mayBeUnread($0)
      }
    }
    if over.isEmpty { return }
    for content in over {
      announcements.close(content)
      announcements.next?.due[content] = nil
    }
    effects.append(.withdrawAnnouncements(over.sorted { $0.identifier < $1.identifier }))
  }

  /// It may be in a root whose file system has not answered.
  private func mayBeUnread(_ identifier: String) -> Bool {
    !unreadRoots.isEmpty && catalog.matching(identifier).isEmpty
  }

  /// When there is something to announce, or to find out before.
  var announcementDeadline: Int64? { announcements.isBusy ? now.monotonic : announcements.deadline }

  /// Does a part of what is to be done by now; the rest is for the next turns.
  mutating func announceWhatIsDue() {
    if !announcements.unseen.isEmpty { return seeWhatWaits() }
    if announcements.next == nil {
      guard let deadline = announcements.deadline, deadline <= now.monotonic else { return }
      announcements.deadline = nil
      announcements.next = .init(unseen: announcements.missed + announcements.waiting)
      announcements.missed = []
      announcements.waiting = []
    }
    gatherAnnouncements()
  }

  private mutating func gatherAnnouncements() {
    guard var next = announcements.next else { return }
    // Not two of it, or each addition would copy all.
    announcements.next = nil
    for identifier in next.unseen.takeLast(Announcements.perTurn) {
      guard let waiting = waiting(identifier), case let content = waiting.content,
        !announcements.knows(content)
      else { continue }
      if next.due[content] != nil || next.due.count < limits.rememberedAnnouncements {
        next.due[content] = announcement(of: waiting)
        announcements.open(content, speakingOf: identifier)
      } else {
        next.counted[content] = identifier
      }
    }
    guard next.unseen.isEmpty else { return announcements.next = next }
    if next.due.isEmpty { return }
    announcements.last = now.monotonic
    announcements.counted = Array(next.counted.values)
    let forgotten = announcements.add(Array(next.due.keys), limit: limits.rememberedAnnouncements)
    if !forgotten.isEmpty { effects.append(.withdrawAnnouncements(forgotten)) }
    let announcements = next.due.values.sorted { $0.content.identifier < $1.content.identifier }
    effects.append(.announce(announcements, further: next.counted.count))
  }

  /// Nobody was there to show them. At the start of a session that may change soon.
  mutating func announcementFailed(_ contents: [AnnouncedContent]) {
    let speaksOf = contents.flatMap { announcements.open[$0] ?? [$0.identifier] }
    announcements.remove(contents)
    let counted = announcements.counted
    announcements.counted = []
    guard announcements.failures < limits.announcementTries else { return }
    announcements.missed += counted
    announcements.waiting.formUnion(speaksOf)
    let next = now.monotonic + limits.announcementInterval << announcements.failures
    announcements.failures += 1
    announcements.deadline = announcements.deadline ?? next
  }

  /// What the person has to decide about, so that hosts may use an extension.
  private struct Waiting {
    let content: AnnouncedContent
    let facts: BundleFacts
    /// The application around it, where that is what is decided about.
    let host: BundleFacts?
    let isChanged: Bool
  }

  /// nil where nothing waits for the person.
  private func waiting(_ identifier: String) -> Waiting? {
    guard let state = catalog.entry(identifier)?.state, state == .unapproved || state == .changed,
      let facts = catalog.winner(identifier), !facts.isDeveloped
    else { return nil }
    let host = catalog.ownHost(of: facts)
    guard let name = host?.identifier ?? facts.identifier,
      let digest = host == nil ? facts.digest : host?.digest
    else { return nil }
    return Waiting(
      content: .init(identifier: name, digest: digest), facts: facts, host: host, isChanged: state == .changed
    )
  }

  private func announcement(of waiting: Waiting) -> Announcement {
    let subject = waiting.host ?? waiting.facts
    return Announcement(
      content: waiting.content, name: subject.name?.text(in: languages) ?? waiting.content.identifier,
      host: waiting.host == nil ? hostName(of: waiting.facts) : nil, isChanged: waiting.isChanged)
  }

  private func hostName(of facts: BundleFacts) -> String {
    let point = facts.extensionPoint ?? ""
    guard let host = catalog.point(point)?.host else { return point }
    return catalog.applications(host).first?.name?.text(in: languages) ?? host
  }
}
