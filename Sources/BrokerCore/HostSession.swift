internal import ExtensionInterfaces

/// A connection of a host or a person, and what it has going on.
struct Session: Sendable {
  let peer: Peer
  var host: HostKey?
  var verified = false
  /// What its person reads, best first; nil where it did not say.
  var languages: [String]?
  var isBlocked = false
  var subscription: Subscription?
  /// One, or none where there is neither: an array, since that takes no room then.
  private var streams: [Streams] = []

  /// What a person's connection may have, and no host's.
  private struct Streams {
    var watch: WatchStream?
    var development: Development?
  }

  init(peer: Peer) { self.peer = peer }

  /// A Watch or Logs stream.
  var watch: WatchStream? {
    get { streams.first?.watch }
    set { change { $0.watch = newValue } }
  }

  /// A Develop stream.
  var development: Development? {
    get { streams.first?.development }
    set { change { $0.development = newValue } }
  }

  private mutating func change(_ body: (inout Streams) -> Void) {
    var all = streams.first ?? Streams()
    body(&all)
    streams = all.watch == nil && all.development == nil ? [] : [all]
  }
}

/// A host's event stream.
struct Subscription: Sendable {
  let request: RequestID
  let feed: Feed.Key
  var sequence = 0
  /// The host reads too slowly: it gets everything anew when it has read what waits.
  var isBehind = false
  /// What could not be sent yet, one for each activation at most.
  var waiting: [BrokerInterface.ActivationEvent] = []

  /// What it is told a change with. One that is blocked gets none, and is behind from now on.
  mutating func next(isBlocked: Bool) -> (sequence: Int, request: RequestID)? {
    guard !isBlocked else {
      isBehind = true
      return nil
    }
    sequence += 1
    return (sequence, request)
  }
}

/// What all hosts know that watch the same points in the same languages. It is kept once for all of them, and what
/// becomes different is found and encoded once.
struct Feed: Sendable {
  struct Key: Hashable, Sendable {
    let points: Set<String>
    let languages: [String]
  }

  private(set) var known: [String: BrokerInterface.Identity]
  private var disabledCount: Int
  private var unapprovedCount: Int
  /// In the order in which they connected, which is about that in which they lie in memory: it takes less time to tell all
  /// of them in this order than in any other.
  private(set) var subscribers: [PeerID] = []

  init(_ snapshot: BrokerInterface.Snapshot) {
    known = Dictionary(uniqueKeysWithValues: snapshot.identities.map { ($0.id, $0) })
    disabledCount = snapshot.disabledCount
    unapprovedCount = snapshot.unapprovedCount
  }

  mutating func add(_ peer: PeerID) {
    let place = place(of: peer)
    guard place == subscribers.count || subscribers[place] != peer else { return }
    subscribers.insert(peer, at: place)
  }

  mutating func remove(_ peer: PeerID) {
    let place = place(of: peer)
    guard place < subscribers.count, subscribers[place] == peer else { return }
    subscribers.remove(at: place)
  }

  /// Where it is, or would be.
  private func place(of peer: PeerID) -> Int {
    var (low, high) = (0, subscribers.count)
    while low < high {
      let middle = (low + high) / 2
      if subscribers[middle] < peer { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes in what these identifiers are now, nil for what is not named any more. Returns what is news; nil for nothing.
  mutating func update(
    _ now: [(identifier: String, identity: BrokerInterface.Identity?)], disabledCount: Int,
    unapprovedCount: Int
  ) -> BrokerInterface.Change? {
    var change = BrokerInterface.Change(
      added: [], updated: [], removed: [], disabledCount: disabledCount,
      unapprovedCount: unapprovedCount)
    for (identifier, identity) in now {
      let old = known[identifier]
      guard identity != old else { continue }
      known[identifier] = identity
      if let identity {
        if old == nil { change.added.append(identity) } else { change.updated.append(identity) }
      } else {
        change.removed.append(identifier)
      }
    }
    let isNews =
      !change.added.isEmpty || !change.updated.isEmpty || !change.removed.isEmpty
      || disabledCount != self.disabledCount || unapprovedCount != self.unapprovedCount
    (self.disabledCount, self.unapprovedCount) = (disabledCount, unapprovedCount)
    return isNews ? change : nil
  }
}

struct WatchStream: Sendable {
  enum Kind: Hashable, Sendable {
    case everything
    case logs(String)
  }
  let request: RequestID
  let kind: Kind
  var sequence = 0
  /// Events or lines that were left out, since the reader is slow.
  var dropped = 0
}
