internal import BrokerCore
internal import CSystemd
internal import LinuxSystem

/// A socket on which peers connect, and what they may ask there.
struct Listener {
  let socket: SharedDescriptor
  let door: Peer.Door

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The sockets that the service manager holds for us; empty where there are none.
  /// sd_listen_fds(3): told apart by what they are bound to.
  static func inherited(places: Places) throws(Failure) -> [Listener] {
    let count = sd_listen_fds(1)
    guard count > 0 else { return [] }
    var listeners: [Listener] = []
    for number in 3..<(3 + count) {
      let socket = SharedDescriptor(FileDescriptor(owning: number))
      let path = (try? Socket.path(of: socket.descriptor)) ?? ""
      try? socket.descriptor.setNonBlocking()
      switch path.split(separator: "/").last {
      case "io.extensiond.Broker": listeners.append(Listener(socket: socket, door: .host))
      case "io.extensiond.Admin": listeners.append(Listener(socket: socket, door: .admin))
      default:
        throw Failure(
          description:
            "the service manager passed a socket at '\(path)', which is neither the broker's nor the administration's; check extensiond.socket"
        )
      }
    }
    return listeners
  }

  /// Sockets of our own, where no service manager holds them. The caller has the lock, so an old one is nobody's.
  static func own(places: Places) throws(Failure) -> [Listener] {
    [
      try bind(places.brokerSocket, .host),
      try bind(places.adminSocket, .admin),
    ]
  }

  private static func bind(_ path: String, _ door: Peer.Door) throws(Failure) -> Listener {
    let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    do throws(Errno) {
      try File.makeDirectories(directory)
      // Only a socket is removed; anything else is somebody's.
      if (try? Socket.connect(to: path)) == nil, File.isSocket(path) { try File.remove(path) }
      let socket = SharedDescriptor(try Socket.listen(at: path))
      try socket.descriptor.setNonBlocking()
      return Listener(socket: socket, door: door)
    } catch {
      throw Failure(description: "cannot listen at \(path): \(error); remove what is in the way")
    }
  }
}
