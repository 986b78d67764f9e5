internal import BrokerCore
internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

/// The bundles in all roots, as they are now: watch, then read, then tell. What an event says is never believed; it
/// only says where to look. Walks and hashes are done by a worker.
final class BundleSource {
  /// No write for so long means that a copy is complete.
  static let quiet: Duration = .milliseconds(300)
  /// But it is read after this time at the latest.
  static let patience: Duration = .seconds(10)
  static let pollInterval: Duration = .seconds(10)

  typealias Entry = BundleReader.Entry

  private let roots: [String]
  private let loop: EventLoop
  private let worker: Worker
  private let reader: BundleReader
  private let warn: (String) -> Void
  private let onEvent: (Event) -> Void
  private var watches: DirectoryWatches?
  private let probe: RootProbe
  private var rounds: ScanRounds?
  /// Roots that did not answer in time, and have not answered since.
  private var unread: Set<String> = []
  private var states: [String: (state: AdminInterface.Root.State, detail: String?)] = [:]

  private var found: [Entry: FoundPaths] = [:]
  /// Entries that changed, since when, and the timer that reads them.
  private var settling: [Entry: (since: MonotonicTime, timer: EventLoop.Timer)] = [:]
  /// Bundles whose content matters, by entry.
  private var enabled: [Entry: Set<String>] = [:]
  /// Bundles of developers, which are in no root.
  private var developed: Set<Entry> = []
  /// Entries that fail a check. Somebody may be about to complete or to mend them.
  private var broken: Set<Entry> = []
  private static let brokenLimit = 256
  /// The next look at roots that tell of no changes.
  private var polls: [String: EventLoop.Timer] = [:]

  init(
    roots: [String], cachePath: String, patience: Duration, loop: EventLoop, warn: @escaping (String) -> Void,
    onEvent: @escaping (Event) -> Void
  ) throws(Errno) {
    self.roots = roots
    self.loop = loop
    self.warn = warn
    self.onEvent = onEvent
    worker = try Worker(loop: loop)
    try worker.start()
    probe = RootProbe(loop: loop)
    reader = BundleReader(cachePath: cachePath)
    let reader = reader
    worker.perform {
      reader.openCache()
    } completion: { warning in
      if let warning { warn(warning) }
    }
    rounds = ScanRounds(loop: loop, patience: patience) { [unowned self] in self.finishScan($0, without: $1) }
    do throws(Errno) {
      watches = try DirectoryWatches(on: loop, worker: worker) { [unowned self] in self.take($0) }
    } catch {
      warn("changes in the roots are not noticed, only looked for: inotify says \(error)")
    }
  }

  /// What `extctl status` shows.
  var rows: [AdminInterface.Root] {
    roots.map { root in
      let state = states[root] ?? (.unread, nil)
      let count = found.lazy.filter { $0.key.root == root }.reduce(0) { $0 + $1.value.count }
      return AdminInterface.Root(path: root, state: state.state, detail: state.detail, bundles: count)
    }
  }

  // MARK: Reading

  /// Reads everything, then says `scanned`. `serial`: the broker's number of it, where the broker asked.
  func scanAll(_ serial: Int = 0) {
    rounds?.begin(serial, roots: roots)
    for root in roots { scan(root: root) }
    for entry in developed { read(entry, final: true) }
  }

  private func finishScan(_ serial: Int, without missing: Set<String>) {
    guard missing.isEmpty else {
      for root in missing.subtracting(unread) {
        states[root] = (.unread, "its file system has not answered yet")
        warn(
          "\(root) is not read yet, since its file system does not answer; what is in there comes when it does"
        )
      }
      setUnread(unread.union(missing))
      return onEvent(.scanned(serial))
    }
    // What was read has been told by now, and nobody waits for the cache to be put in order.
    onEvent(.scanned(serial))
    let reader = reader
    worker.perform {
      reader.pruneCache()
    } completion: { [unowned self] in
      // By now all is free that this took.
      self.worker.perform {
        CurrentProcess.returnFreeMemory()
      } completion: {
      }
    }
  }

  private func setUnread(_ roots: Set<String>) {
    guard unread != roots else { return }
    unread = roots
    onEvent(.rootsUnread(roots))
  }

  /// Reads the entry again that a bundle is in.
  func scan(_ path: String) {
    guard let entry = entry(of: path) else { return }
    read(entry, final: true)
  }

  private func scan(root: String) {
    probe.ask(root) { [unowned self] in self.read(root: root) }
  }

  private func read(root: String) {
    let begun = rounds?.number ?? 0
    // First the watch, so that nothing is missed between the two.
    watches?.watch(root: root)
    let reader = reader
    let index = roots.firstIndex(of: root) ?? 0
    worker.perform {
      reader.list(root)
    } completion: { [unowned self] listing in
      let present = Set(listing.names)
      let gone = self.found.keys.filter { $0.root == root && !present.contains($0.name) }
      let reading = RootReading(listing, root, index: index, gone: gone, worker: self.worker, reader: reader)
      {
        self.apply($0)
      } onEnd: { gone in
        // Only now: that there was no more patience may have been noted while the parts were read.
        let isWatched = self.watches?.isWatched(root: root) ?? false
        self.note(root, listing.state, reportsEvents: listing.root?.reportsEvents != false && isWatched)
        self.apply(gone.map { ($0, BundleReader.Result()) })
        self.setUnread(self.unread.subtracting([root]))
        self.rounds?.wasRead(root, since: begun)
      }
      reading.begin()
    }
  }

  private func note(_ root: String, _ state: RootScan.State, reportsEvents: Bool) {
    switch state {
    case .present:
      states[root] = (reportsEvents ? .watched : .polled, nil)
      if !reportsEvents { pollLater(root) }
    case .absent: states[root] = (.absent, nil)
    case .failed(let errno):
      states[root] = (.failed, errno.description)
      warn("\(root) cannot be read: \(errno)")
    }
  }

  /// One timer for a root, however often it is read in between.
  private func pollLater(_ root: String) {
    polls[root]?.cancel()
    polls[root] = loop.schedule(after: Self.pollInterval) { [weak self] in self?.scan(root: root) }
  }

  /// `settled`: nothing has been written for a while, or somebody asked for it as it is. Else it is looked for a change that
  /// came before the watch, and what has none is not read again.
  private func read(_ entry: Entry, final: Bool, settled: Bool = true) {
    guard let index = index(of: entry) else { return }
    let reader = reader
    worker.perform {
      reader.read(entry, rootIndex: index, final: final, unlessKept: !settled)
    } completion: { [unowned self] result in
      // A developer's may have been withdrawn meanwhile.
      guard self.index(of: entry) != nil else { return }
      // What was whole and is not may be in the middle of a change: it stays what it was until that is over.
      let isWhole = result.found.allSatisfy(\.problems.isEmpty)
      if settled || isWhole || self.found[entry] == nil || self.broken.contains(entry) {
        self.apply([(entry, result)])
      } else {
        self.touch(entry)
      }
    }
  }

  /// The place of an entry in the search order; a developer's is last. nil: it is none of our business.
  private func index(of entry: Entry) -> Int? {
    roots.firstIndex(of: entry.root) ?? (developed.contains(entry) ? roots.count : nil)
  }

  /// Tells of what was read together at once: each event makes the broker look at what else it concerns.
  private func apply(_ results: [(Entry, BundleReader.Result)]) {
    var present: [BundleFacts] = []
    var removed: [String] = []
    for (entry, result) in results {
      // Somebody still writes: look again when they have finished.
      guard result.busy.isEmpty else {
        touch(entry)
        continue
      }
      let isDeveloped = developed.contains(entry)
      for var facts in result.found {
        if isDeveloped { facts.isDeveloped = true }
        present.append(facts)
      }
      let paths = result.found.map(\.path)
      let now = FoundPaths(paths, in: entry)
      let before = now.map { found.updateValue($0, forKey: entry) } ?? found.removeValue(forKey: entry)
      if let before, !(before == now) {
        let gone = Set(before.paths(in: entry)).subtracting(paths)
        for path in gone { watchContent(of: path, false) }
        removed += gone
      }
      note(entry, isBroken: result.found.contains { !$0.problems.isEmpty })
    }
    if !removed.isEmpty {
      let reader = reader
      let gone = removed
      worker.perform {
        reader.forget(gone)
      } completion: {
      }
    }
    if !present.isEmpty || !removed.isEmpty {
      onEvent(.bundles(found: present, removed: removed.sorted()))
    }
  }

  private func note(_ entry: Entry, isBroken: Bool) {
    if !isBroken {
      if !broken.isEmpty { broken.remove(entry) }
      unwatchUnlessNeeded(entry)
    } else if broken.count < Self.brokenLimit, broken.insert(entry).inserted {
      watchDirectories(of: entry) { [unowned self] in self.read(entry, final: false) }
    }
  }

  // MARK: Developers

  /// Reads a bundle anywhere, and answers with what it is and what is in it. From then on it is watched like one in a root.
  func develop(_ path: String, answer: @escaping ([BundleFacts]) -> Void) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return answer([]) }
    let entry = Entry(root: String(path[..<slash]), name: String(path[path.index(after: slash)...]))
    // What lies deeper in a root may be read with the application around it.
    let isInRoot = roots.contains { path.hasPrefix($0 + "/") }
    if !isInRoot {
      developed.insert(entry)
      watchDeveloped(entry)
    }
    let reader = reader
    let index = roots.count
    worker.perform {
      reader.read(entry, rootIndex: index, final: true)
    } completion: { [unowned self] result in
      guard !isInRoot else { return answer(result.found) }
      guard self.developed.contains(entry) else { return }
      self.found[entry] = FoundPaths(result.found.map(\.path), in: entry)
      answer(
        result.found.map { facts in
          var facts = facts
          facts.isDeveloped = true
          return facts
        })
    }
  }

  func withdraw(_ path: String) {
    guard let entry = developed.first(where: { $0.path == path }) else { return }
    developed.remove(entry)
    settling.removeValue(forKey: entry)?.timer.cancel()
    enabled[entry] = nil
    broken.remove(entry)
    watches?.unwatch(entry)
    if !developed.contains(where: { $0.root == entry.root }) { watches?.unwatch(root: entry.root) }
    let paths = found.removeValue(forKey: entry)?.paths(in: entry) ?? []
    let reader = reader
    worker.perform {
      reader.forget(paths)
    } completion: {
    }
  }

  /// Its directory too, since a build may put another bundle in its place.
  private func watchDeveloped(_ entry: Entry) {
    watches?.watch(root: entry.root)
    watchDirectories(of: entry)
  }

  // MARK: Checking

  /// Compares a bundle with what was decided about it, and opens it. Nothing is launched as the cache alone says it is.
  func check(_ path: String, digest: String, answer: @escaping (BundleCheck, SharedDescriptor?) -> Void) {
    let reader = reader
    let entry = entry(of: path)
    let index = entry.flatMap(index(of:))
    worker.perform { () -> (BundleCheck, SharedDescriptor?, BundleReader.Result?) in
      var read: BundleReader.Result?
      if let entry, let index { read = reader.readUnread(path, in: entry, rootIndex: index) }
      let (check, directory) = reader.check(path, digest: digest)
      return (check, directory, read)
    } completion: { [unowned self] check, directory, read in
      if let entry, let read { self.apply([(entry, read)]) }
      answer(check, directory)
    }
  }

  // MARK: Watching

  private func entry(of path: String) -> Entry? {
    if let entry = developed.first(where: { path == $0.path || path.hasPrefix($0.path + "/") }) {
      return entry
    }
    guard let root = roots.first(where: { path.hasPrefix($0 + "/") }) else { return nil }
    let rest = path.dropFirst(root.utf8.count + 1)
    return Entry(root: root, name: String(rest.prefix { $0 != "/" }))
  }

  /// Notices changes inside a bundle while hosts may use it.
  func watchContent(of path: String, _ wanted: Bool) {
    if !wanted, enabled.isEmpty { return }
    guard let entry = entry(of: path) else { return }
    let before = enabled[entry] != nil
    if wanted { enabled[entry, default: []].insert(path) } else { enabled[entry]?.remove(path) }
    if enabled[entry]?.isEmpty == true { enabled[entry] = nil }
    // It may have changed before it was watched, so it is read again when it is.
    if enabled[entry] != nil, !before {
      watchDirectories(of: entry) { [unowned self] in self.read(entry, final: false, settled: false) }
    }
    if enabled[entry] == nil, before { unwatchUnlessNeeded(entry) }
  }

  private func needsWatch(_ entry: Entry) -> Bool {
    developed.contains(entry) || enabled[entry] != nil || settling[entry] != nil || broken.contains(entry)
  }

  private func unwatchUnlessNeeded(_ entry: Entry) {
    if !needsWatch(entry) { watches?.unwatch(entry) }
  }

  private func watchDirectories(of entry: Entry, then: @escaping () -> Void = {}) {
    guard let watches else { return then() }
    watches.watch(entry) {
      BundleReader.directories(of: entry.path)
    } then: { [unowned self] in
      guard self.needsWatch(entry) else { return watches.unwatch(entry) }
      then()
    }
  }

  private func take(_ change: DirectoryWatches.Change) {
    switch change {
    case .overflow:
      warn("more changes came than the kernel keeps, so all roots are read again")
      scanAll()
    case .root(let root):
      if roots.contains(root) { return scan(root: root) }
      for entry in developed where entry.root == root {
        watchDeveloped(entry)
        touch(entry)
      }
    case .entry(let root, let name):
      let entry = Entry(root: root, name: name)
      if BundleScanner.isCandidate(name), index(of: entry) != nil { touch(entry) }
      // It may be the interface of a point whose file lies beside it.
      guard name.hasSuffix(".varlink") else { break }
      for entry in found.keys where entry.root == root && entry.name.hasSuffix(PointDefinition.suffix) {
        touch(entry)
      }
    case .watchesUsedUp:
      warn("no more directories can be watched; raise fs.inotify.max_user_watches")
    }
  }

  /// Something happened in an entry: it is read when nothing has happened for a while.
  private func touch(_ entry: Entry) {
    let now = MonotonicTime.now
    let before = settling[entry]
    before?.timer.cancel()
    let since = before?.since ?? now
    let last = since + Self.patience
    let isLast = last <= now + Self.quiet
    let timer = loop.schedule(at: isLast ? max(last, now) : now + Self.quiet) { [unowned self] in
      self.settling[entry] = nil
      // Directories may have come since the first change.
      guard self.needsWatch(entry) else { return self.read(entry, final: isLast) }
      self.watchDirectories(of: entry) { [unowned self] in self.read(entry, final: isLast) }
    }
    settling[entry] = (since, timer)
    if before == nil { watchDirectories(of: entry) }
  }
}
