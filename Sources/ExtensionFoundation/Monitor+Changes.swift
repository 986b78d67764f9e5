extension AppExtensionPoint.Monitor {
  /// What became different from one state to the next.
  public struct Change: Hashable, Sendable {
    /// Extensions that are new in the list.
    public let added: [AppExtensionIdentity]
    /// Extensions that were in the list with another version, name or description, as they are now.
    public let updated: [AppExtensionIdentity]
    /// Extensions that are no longer in the list, as they were.
    public let removed: [AppExtensionIdentity]
    /// What results; its counts may be all that is different.
    public let state: State

    package init(from old: State, to new: State) {
      let before = Dictionary(old.identities.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let after = Set(new.identities.map(\.id))
      added = new.identities.filter { before[$0.id] == nil }
      updated = new.identities.filter { before[$0.id] != nil && before[$0.id] != $0 }
      removed = old.identities.filter { !after.contains($0.id) }
      state = new
    }
  }

  /// What becomes different from now on. Each use of this property is a sequence of its own, for one reader. A slow
  /// reader misses nothing: it gets what happened meanwhile as one change.
  public var changes: Changes { Changes(monitor: self) }

  /// Changes of a monitor, which it keeps alive. Ends when the reading task is cancelled.
  public struct Changes: AsyncSequence, Sendable {
    private let monitor: AppExtensionPoint.Monitor
    private let present: State
    private let later: AsyncStream<State>

    init(monitor: AppExtensionPoint.Monitor) {
      self.monitor = monitor
      (present, later) = monitor.watch()
    }

    /// Begins with what has changed since `changes` was asked for. For one reader.
    public func makeAsyncIterator() -> Iterator {
      Iterator(monitor: monitor, last: present, states: later.makeAsyncIterator())
    }

    /// Reads the changes, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let monitor: AppExtensionPoint.Monitor
      var last: State
      var states: AsyncStream<State>.Iterator

      /// Waits for the next change; nil when the reading task is cancelled.
      public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Change? {
        while let state = await states.next(isolation: isolation) {
          // Two changes that undo each other are none.
          guard state != last else { continue }
          defer { last = state }
          return Change(from: last, to: state)
        }
        return nil
      }
    }
  }
}
