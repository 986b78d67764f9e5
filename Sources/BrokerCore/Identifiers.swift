/// A connection of somebody to one of the broker's sockets.
public struct PeerID: Hashable, Sendable, Comparable {
  public let rawValue: UInt64
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One call of a peer. Its answer goes to exactly this call.
public struct RequestID: Hashable, Sendable {
  public let peer: PeerID
  public let serial: UInt64

  public init(peer: PeerID, serial: UInt64) {
    self.peer = peer
    self.serial = serial
  }
}

/// A socketpair that whoever performs the effects has made, or will make.
public struct ConnectionID: Hashable, Sendable {
  public let rawValue: UInt64
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// A process that cannot be confused with a later one of the same number.
public struct ProcessIdentity: Hashable, Sendable {
  public let processID: Int32
  /// Field 22 of proc_pid_stat(5).
  public let startTime: Int64

  public init(processID: Int32, startTime: Int64) {
    self.processID = processID
    self.startTime = startTime
  }
}

/// A program that hosts extensions: the name that it gave itself, and the process that the kernel showed.
public struct HostKey: Hashable, Sendable {
  public let identifier: String
  public let process: ProcessIdentity

  public init(identifier: String, process: ProcessIdentity) {
    self.identifier = identifier
    self.process = process
  }
}
