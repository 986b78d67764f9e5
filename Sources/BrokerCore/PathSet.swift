/// Paths, in no order. There are tens of thousands of these sets, and nearly each has one: that takes no memory of its own.
struct PathSet: Sequence, Sendable, ExpressibleByArrayLiteral {
  private enum Content {
    case none
    case one(String)
    case more(Set<String>)
  }

  private var content = Content.none

  init() {}

  init(_ paths: some Sequence<String>) {
    for path in paths { insert(path) }
  }

  init(arrayLiteral paths: String...) { self.init(paths) }

  var count: Int {
    switch content {
    case .none: 0
    case .one: 1
    case .more(let paths): paths.count
    }
  }

  var isEmpty: Bool { count == 0 }

  /// Where there is but one.
  var only: String? { if case .one(let only) = content { only } else { nil } }

  /// Any of them.
  var first: String? {
    switch content {
    case .none: nil
    case .one(let only): only
    case .more(let paths): paths.first
    }
  }

  func contains(_ path: String) -> Bool {
    switch content {
    case .none: false
    case .one(let only): only == path
    case .more(let paths): paths.contains(path)
    }
  }

  mutating func insert(_ path: String) {
    switch content {
    case .none: content = .one(path)
    case .one(let only): if only != path { content = .more([only, path]) }
    case .more(var paths):
      // Not two of it, or it would be copied.
      content = .none
      paths.insert(path)
      content = .more(paths)
    }
  }

  mutating func remove(_ path: String) {
    switch content {
    case .none: break
    case .one(let only): if only == path { content = .none }
    case .more(var paths):
      content = .none
      paths.remove(path)
      content = paths.count == 1 ? paths.first.map(Content.one) ?? .none : .more(paths)
    }
  }

  struct Iterator: IteratorProtocol {
    fileprivate var only: String?
    fileprivate var more: Set<String>.Iterator?

    mutating func next() -> String? {
      if more != nil { return more?.next() }
      defer { only = nil }
      return only
    }
  }

  func makeIterator() -> Iterator {
    switch content {
    case .none: Iterator()
    case .one(let only): Iterator(only: only)
    case .more(let paths): Iterator(more: paths.makeIterator())
    }
  }
}
