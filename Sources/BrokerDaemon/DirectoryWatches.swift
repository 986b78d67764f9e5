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

  private let inotify: Inotify
  private var watch: EventLoop.Watch?
  /// One directory may matter for several reasons: the kernel gives it one number.
  private var targets: [Int32: Set<Target>] = [:]
  private var numbers: [Target: Set<Int32>] = [:]
  private let onChange: (Change) -> Void
  private var saidUsedUp = false

  init(on loop: EventLoop, onChange: @escaping (Change) -> Void) throws(Errno) {
    inotify = try Inotify()
    self.onChange = onChange
    watch = try loop.watch(inotify.descriptor.rawValue, for: .readable) { [unowned self] _ in self.read() }
  }

  deinit { watch?.cancel() }

  /// Watches a root, or waits for it. false: it exists and cannot be watched.
  func watch(root: String) -> Bool {
    unwatch(root: root)
    do throws(Errno) {
      try add(root, .root(root))
      return true
    } catch .noSpace {
      return false
    } catch {
      watchAncestor(of: root)
      return error == .noEntry || error == .notDirectory
    }
  }

  func unwatch(root: String) {
    drop(.root(root))
    drop(.ancestor(root: root))
  }

  private func watchAncestor(of root: String) {
    var path = root
    while let slash = path.lastIndex(of: "/") {
      path = String(path[..<slash])
      do throws(Errno) {
        try add(
          path.isEmpty ? "/" : path, .ancestor(root: root),
          mask: [.created, .movedTo, .selfDeleted, .selfMoved])
        // It may have appeared between the two.
        if File.exists(root) { onChange(.root(root)) }
        return
      } catch {
        if path.isEmpty { return }
      }
    }
  }

  func watch(_ entry: BundleReader.Entry, directories: [String]) {
    for directory in directories { try? add(directory, .inside(entry)) }
  }

  func unwatch(_ entry: BundleReader.Entry) { drop(.inside(entry)) }

  private func add(_ path: String, _ target: Target, mask: Inotify.Mask = .changes) throws(Errno) {
    do throws(Errno) {
      let number = try inotify.watch(path, for: mask)
      // A second reason must not narrow what the first one asked for.
      if targets[number] != nil { _ = try inotify.watch(path, for: .changes) }
      targets[number, default: []].insert(target)
      numbers[target, default: []].insert(number)
    } catch .noSpace {
      if !saidUsedUp {
        saidUsedUp = true
        onChange(.watchesUsedUp)
      }
      throw .noSpace
    }
  }

  private func drop(_ target: Target) {
    for number in numbers.removeValue(forKey: target) ?? [] {
      targets[number]?.remove(target)
      if targets[number]?.isEmpty == true {
        targets[number] = nil
        inotify.remove(number)
      }
    }
  }

  private func read() {
    guard let events = try? inotify.events() else { return }
    var changes: [Change] = []
    var roots: Set<String> = []
    for event in events {
      if event.mask.contains(.overflow) {
        onChange(.overflow)
        return
      }
      let affected = targets[event.watch] ?? []
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
