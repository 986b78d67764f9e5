internal import CLinux

/// Who made a connection, as the kernel recorded it: unix(7), SO_PEERCRED.
public struct PeerCredentials: Hashable, Sendable {
  public let processID: Int32
  public let userID: UInt32

  public init(processID: Int32, userID: UInt32) {
    self.processID = processID
    self.userID = userID
  }

  public init(of socket: borrowing FileDescriptor) throws(Errno) {
    let raw = socket.rawValue
    var credentials = clinux_credentials()
    try check { unsafe clinux_peer_credentials(raw, &credentials) }
    processID = credentials.pid
    userID = credentials.uid
  }

  /// The peer's process, which cannot be taken for another one. Throws where the kernel is older than 6.5.
  public static func processDescriptor(of socket: borrowing FileDescriptor) throws(Errno) -> FileDescriptor {
    let raw = socket.rawValue
    return try checkDescriptor { clinux_peer_pidfd(raw) }
  }
}
