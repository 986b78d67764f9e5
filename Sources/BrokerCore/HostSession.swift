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
  /// A Watch or Logs stream.
  var watch: WatchStream?
  /// A Develop stream.
  var development: Development?
}

/// A host's event stream.
struct Subscription: Sendable {
  let request: RequestID
  let points: Set<String>
  let languages: [String]
  var sequence = 0
  /// What the host knows.
  var known: [String: BrokerInterface.Identity] = [:]
  var disabledCount = 0
  var unapprovedCount = 0
  /// The host reads too slowly: it gets everything anew when it has read what waits.
  var isBehind = false
  /// What could not be sent yet, one for each activation at most.
  var waiting: [BrokerInterface.ActivationEvent] = []
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
