internal import CLinux

/// Calls on sockets of the local family, unix(7).
public enum Socket {
  /// What a socket carries.
  public enum Kind: Sendable {
    /// A stream of bytes.
    case stream
    /// Packets, in order.
    case packets
    /// Packets without a connection.
    case datagrams

    var rawValue: CInt {
      switch self {
      case .stream: clinux_SOCK_STREAM
      case .packets: clinux_SOCK_SEQPACKET
      case .datagrams: clinux_SOCK_DGRAM
      }
    }
  }

  /// Two connected sockets.
  @usableFromInline package static func pair(_ kind: Kind = .stream) throws(Errno) -> (
    SharedDescriptor, SharedDescriptor
  ) {
    var ends: [CInt] = [-1, -1]
    try check { unsafe socketpair(AF_UNIX, kind.rawValue, 0, &ends) }
    return (
      SharedDescriptor(FileDescriptor(owning: ends[0])), SharedDescriptor(FileDescriptor(owning: ends[1]))
    )
  }

  /// Connects to the socket at `path`. Without `nonBlocking` it waits while too many others wait there.
  @usableFromInline package static func connect(
    to path: String, _ kind: Kind = .stream, nonBlocking: Bool = false
  ) throws(Errno) -> FileDescriptor {
    let socket = try checkDescriptor { CLinux.socket(AF_UNIX, kind.rawValue, 0) }
    if nonBlocking { try socket.setNonBlocking() }
    let raw = socket.rawValue
    try check { unsafe path.withCString { unsafe clinux_connect(raw, $0) } }
    return socket
  }

  /// Binds a new socket to `path` and listens. The file is for its owner only.
  /// A path that is already there: throws EADDRINUSE, whatever it is.
  public static func listen(at path: String, _ kind: Kind = .stream) throws(Errno) -> FileDescriptor {
    let socket = try checkDescriptor { CLinux.socket(AF_UNIX, kind.rawValue, 0) }
    let raw = socket.rawValue
    // Before bind, so that there is no moment with a wider mode; Linux applies it to the new file.
    try check { fchmod(raw, 0o600) }
    try check { unsafe path.withCString { unsafe clinux_bind(raw, $0) } }
    try check { CLinux.listen(raw, 128) }
    return socket
  }

  /// The next connection, non-blocking; nil when none waits.
  public static func accept(_ listener: borrowing FileDescriptor) throws(Errno) -> FileDescriptor? {
    let raw = listener.rawValue
    do throws(Errno) {
      return try checkDescriptor { clinux_accept(raw) }
    } catch .again {
      return nil
    }
  }

  /// The path that a socket is bound to; empty for one without a name.
  package static func path(of socket: borrowing FileDescriptor) throws(Errno) -> String {
    let raw = socket.rawValue
    var buffer = [CChar](repeating: 0, count: 256)
    try check { unsafe clinux_socket_path(raw, &buffer, buffer.count) }
    return text(buffer)
  }

  /// Sends bytes and descriptors in one call of the kernel. Returns how many bytes went; the descriptors went if any did.
  /// Never raises SIGPIPE.
  /// - Parameter head: goes before `bytes`, and counts.
  @usableFromInline package static func send(
    _ bytes: ArraySlice<UInt8>, after head: [UInt8] = [], descriptors: [SharedDescriptor] = [],
    to socket: CInt, nonBlocking: Bool = true
  ) throws(Errno) -> Int {
    let numbers = descriptors.isEmpty ? [] : descriptors.map(\.rawValue)
    let flags = nonBlocking ? clinux_MSG_DONTWAIT : 0
    let sent = try check {
      unsafe bytes.withUnsafeBytes { buffer -> Int in
        unsafe clinux_send(
          socket, head, head.count, buffer.baseAddress, buffer.count, numbers, CInt(numbers.count), flags)
      }
    }
    // Alive until here: the kernel has its own references now.
    withExtendedLifetime(descriptors) {}
    return sent
  }

  /// Lets more be on its way, for bytes in bulk; as much as the kernel permits: socket(7), SO_SNDBUF.
  package static func setSendBuffer(_ socket: borrowing FileDescriptor, bytes: Int) {
    // Fails for nothing but a bad descriptor.
    _ = clinux_set_send_buffer(socket.rawValue, CInt(clamping: bytes))
  }

  /// What one receive brought.
  @usableFromInline package struct Received {
    package var count: Int
    package var descriptors: [SharedDescriptor]
    /// Descriptors were sent that were not wanted, or there was no room. They are closed.
    package var descriptorsLost: Bool
    /// The packet was longer than the buffer.
    package var truncated: Bool
  }

  /// Receives into `buffer`, from `offset` on. `count` 0 means the end of the stream.
  /// Throws `again` when nothing is there and `nonBlocking`.
  @usableFromInline package static func receive(
    into buffer: inout [UInt8], at offset: Int = 0, from socket: CInt, maximumDescriptors: Int = 0,
    nonBlocking: Bool = true
  ) throws(Errno) -> Received {
    var received = CInt(maximumDescriptors)
    var messageFlags: CInt = 0
    var descriptors: [SharedDescriptor] = []
    let flags = nonBlocking ? clinux_MSG_DONTWAIT : 0
    let count = try check { () -> Int in
      received = CInt(maximumDescriptors)
      return unsafe buffer.withUnsafeMutableBytes { bytes -> Int in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
        guard let base = room.baseAddress else { return 0 }
        return unsafe withUnsafeTemporaryAllocation(of: CInt.self, capacity: maximumDescriptors) { numbers in
          let count = unsafe clinux_receive(
            socket, base, room.count, numbers.baseAddress, &received, flags, &messageFlags)
          if count >= 0 {
            for index in 0..<Int(received) {
              unsafe descriptors.append(SharedDescriptor(FileDescriptor(owning: numbers[index])))
            }
          }
          return count
        }
      }
    }
    return Received(
      count: count, descriptors: descriptors,
      descriptorsLost: messageFlags & clinux_MSG_CTRUNC != 0,
      truncated: messageFlags & clinux_MSG_TRUNC != 0)
  }

  /// No more bytes will be sent; the peer reads the end.
  package static func shutdownWrites(_ socket: borrowing FileDescriptor) {
    // Fails only where the peer is gone already.
    _ = CLinux.shutdown(socket.rawValue, clinux_SHUT_WR)
  }

  /// Takes no bytes any more: whoever sends gets EPIPE.
  package static func shutdownReads(_ socket: borrowing FileDescriptor) {
    _ = CLinux.shutdown(socket.rawValue, clinux_SHUT_RD)
  }

  /// Ends a connection in both directions: readers on both sides see the end, whoever still holds descriptors.
  package static func shutdown(_ socket: borrowing FileDescriptor) {
    // Fails only where it is not connected any more.
    _ = CLinux.shutdown(socket.rawValue, clinux_SHUT_RDWR)
  }
}
