internal import LinuxSystem

/// inotify(7) for roots, for the nearest ancestor of roots that do not exist, and for the directories of entries.
final class DirectoryWatches {
  enum Change {
    /// Events were lost.
    case overflow
    /// A root appeared, went away, or became another directory.
    case root(String)
    case entry(root: String, name: String)
    case watchesUsedUp
  }

  private enum Target: Hashable {
    case root(String)
    /// Stands in for a root that does not exist.
    case ancestor(root: String)
    case inside(BundleReader.Entry)
  }

  /// Where the watch for a root is.
  private enum Place: Sendable {
    /// `besides`: what was watched on the way.
    case root(Int32, besides: Int32? = nil)
    /// Why the root has none is the second.
    case ancestor(Int32, Errno)
    case nowhere(Errno)
  }

  private let shared: SharedInotify
  /// What it is asked to do is done in order with what else it does: a watch is there before what is read next.
  private let worker: Worker
  private var watch: EventLoop.Watch?
  /// One directory may matter for several reasons: the kernel gives it one number.
  private var targets: [Int32: Set<Target>] = [:]
  private var numbers: [Target: Set<Int32>] = [:]
  private var roots: Set<String> = []
  /// Roots that exist and cannot be watched.
  private var unwatchable: Set<String> = []
  private let onChange: (Change) -> Void
  private var saidUsedUp = false

  /// How often the worker was asked, and how often it has answered. It may have added what is not known here yet.
  private var asked = 0
  private var answered = 0
  /// Numbers of which something was told before they were known, and how often the worker had been asked then: whoever
  /// asks later also reads later.
  private var early: [Int32: Int] = [:]
  /// Numbers that nobody needs, unless the worker was given one of them again.
  private var unneeded: Set<Int32> = []

  init(on loop: EventLoop, worker: Worker, onChange: @escaping (Change) -> Void) throws(Errno) {
    shared = try SharedInotify()
    self.worker = worker
    self.onChange = onChange
    watch = try loop.watch(shared.inotify.descriptor.rawValue, for: .readable) { [unowned self] _ in
      self.read()
    }
  }

  deinit { watch?.cancel() }

  // MARK: Roots

  /// Watches a root, or waits for it. Paths are followed by the worker: they may lead to a file system that does not answer.
  func watch(root: String) {
    roots.insert(root)
    let (ticket, shared) = (ask(), shared)
    worker.perform {
      Self.place(root, shared)
    } completion: { [weak self] in
      self?.take(root, $0, ticket)
    }
  }

  /// Whether it is watched, or waited for; false where it exists and cannot be.
  func isWatched(root: String) -> Bool { roots.contains(root) && !unwatchable.contains(root) }

  func unwatch(root: String) {
    roots.remove(root)
    unwatchable.remove(root)
    replace(.root(root), with: [])
    replace(.ancestor(root: root), with: [])
  }

  private static func place(_ root: String, _ shared: SharedInotify) -> Place {
    let failure: Errno
    do throws(Errno) { return .root(try shared.inotify.watch(root)) } catch { failure = error }
    var path = root
    while failure != .noSpace, let slash = path.lastIndex(of: "/") {
      path = String(path[..<slash])
      let mask: Inotify.Mask = [.created, .movedTo, .selfDeleted, .selfMoved]
      if let number = try? shared.inotify.watch(path.isEmpty ? "/" : path, for: mask) {
        // It may have appeared between the two.
        if let found = try? shared.inotify.watch(root) { return .root(found, besides: number) }
        return .ancestor(number, failure)
      }
    }
    return .nowhere(failure)
  }

  private func take(_ path: String, _ place: Place, _ ticket: Int) {
    defer { settle() }
    var failure: Errno?
    var root: Set<Int32> = []
    var ancestor: Set<Int32> = []
    switch place {
    case .root(let number, let besides):
      root = [number]
      if let besides { unneeded.insert(besides) }
    case .ancestor(let number, let error): (ancestor, failure) = ([number], error)
    case .nowhere(let error): failure = error
    }
    // Nobody may want it any more.
    guard roots.contains(path) else { return unneeded.formUnion(root.union(ancestor)) }
    replace(.root(path), with: root)
    replace(.ancestor(root: path), with: ancestor)
    if let failure, failure != .noEntry, failure != .notDirectory {
      unwatchable.insert(path)
      if failure == .noSpace { sayUsedUp() }
    } else {
      unwatchable.remove(path)
    }
    if isLate(ticket, for: root.union(ancestor)) { onChange(.root(path)) }
  }

  // MARK: Entries

  /// Watches the directories of an entry, as many as there can be. `then`: they are watched.
  func watch(
    _ entry: BundleReader.Entry, directories: @escaping @Sendable () -> [String], then: @escaping () -> Void
  ) {
    let (ticket, shared) = (ask(), shared)
    worker.perform { () -> (Set<Int32>, usedUp: Bool) in
      var added: Set<Int32> = []
      var usedUp = false
      for directory in directories() {
        do throws(Errno) { added.insert(try shared.inotify.watch(directory)) } catch {
          usedUp = usedUp || error == .noSpace
        }
      }
      return (added, usedUp)
    } completion: { [weak self] (added, usedUp) in
      guard let self else { return }
      self.replace(.inside(entry), with: added.union(self.numbers[.inside(entry)] ?? []))
      if usedUp { self.sayUsedUp() }
      if self.isLate(ticket, for: added) { self.onChange(.entry(root: entry.root, name: entry.name)) }
      then()
      self.settle()
    }
  }

  func unwatch(_ entry: BundleReader.Entry) { replace(.inside(entry), with: []) }

  private func sayUsedUp() {
    guard !saidUsedUp else { return }
    saidUsedUp = true
    onChange(.watchesUsedUp)
  }

  // MARK: Numbers

  private func replace(_ target: Target, with new: Set<Int32>) {
    let old = numbers[target] ?? []
    for number in new { targets[number, default: []].insert(target) }
    numbers[target] = new.isEmpty ? nil : new
    for number in old.subtracting(new) {
      targets[number]?.remove(target)
      if targets[number]?.isEmpty != false {
        targets[number] = nil
        unneeded.insert(number)
      }
    }
    removeUnneeded()
  }

  private func ask() -> Int {
    asked += 1
    return asked
  }

  /// Whether something was told of these before the answer to this question came.
  private func isLate(_ ticket: Int, for numbers: Set<Int32>) -> Bool {
    numbers.contains { early[$0, default: 0] >= ticket }
  }

  /// The worker has answered once.
  private func settle() {
    answered += 1
    removeUnneeded()
    if asked == answered { early = [:] }
  }

  private func removeUnneeded() {
    guard asked == answered else { return }
    for number in unneeded where targets[number] == nil { shared.inotify.remove(number) }
    unneeded = []
  }

  private func read() {
    guard let events = try? shared.inotify.events() else { return }
    var changes: [Change] = []
    var roots: Set<String> = []
    for event in events {
      if event.mask.contains(.overflow) {
        onChange(.overflow)
        return
      }
      let affected = targets[event.watch] ?? []
      if asked != answered, affected.isEmpty || event.mask.contains(.ignored) { early[event.watch] = asked }
      if event.mask.contains(.ignored) {
        targets[event.watch] = nil
        for target in affected { numbers[target]?.remove(event.watch) }
      }
      for target in affected {
        switch target {
        case .root(let root):
          if event.name.isEmpty {
            if !event.mask.isDisjoint(with: [.selfDeleted, .selfMoved, .unmounted, .ignored]) {
              roots.insert(root)
            }
          } else {
            changes.append(.entry(root: root, name: event.name))
          }
        case .ancestor(let root):
          if event.name.isEmpty || leads(event.name, to: root) { roots.insert(root) }
        case .inside(let entry): changes.append(.entry(root: entry.root, name: entry.name))
        }
      }
    }
    for root in roots { onChange(.root(root)) }
    for change in changes { onChange(change) }
  }

  /// Whether a new name in an ancestor can be on the way to a root; other names are none of our business.
  private func leads(_ name: String, to root: String) -> Bool {
    root.split(separator: "/").contains { $0 == name }
  }
}
