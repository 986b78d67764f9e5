internal import CLinux

/// Who made a connection, as the kernel recorded it: unix(7), SO_PEERCRED.
package struct PeerCredentials: Hashable, Sendable {
  package let processID: Int32
  package let userID: UInt32

  package init(processID: Int32, userID: UInt32) {
    self.processID = processID
    self.userID = userID
  }

  package init(of socket: borrowing FileDescriptor) throws(Errno) {
    let raw = socket.rawValue
    var credentials = clinux_credentials()
    try check { unsafe clinux_peer_credentials(raw, &credentials) }
    processID = credentials.pid
    userID = credentials.uid
  }

  /// The peer's process, which cannot be taken for another one. Throws where the kernel is older than 6.5.
  package static func processDescriptor(of socket: borrowing FileDescriptor) throws(Errno) -> FileDescriptor {
    let raw = socket.rawValue
    return try checkDescriptor { clinux_peer_pidfd(raw) }
  }
}
