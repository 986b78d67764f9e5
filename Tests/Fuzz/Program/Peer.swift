import LinuxSystem

/// Sends bytes in pieces to something that reads a socket on a loop, and then closes its side.
final class Peer {
  let loop: EventLoop
  private let socket: SharedDescriptor
  private var other: SharedDescriptor?
  private var rest: ArraySlice<UInt8>
  private let piece: Int
  /// What came back.
  private(set) var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(_ bytes: [UInt8], piece: Int) throws(Errno) {
    let (socket, other) = try Socket.pair()
    loop = try EventLoop()
    self.socket = socket
    self.other = other
    rest = bytes[...]
    self.piece = piece
  }

  /// The end of whoever is fed.
  func connection() throws(Errno) -> FileDescriptor {
    guard let other else { throw .badDescriptor }
    self.other = nil
    return try other.descriptor.duplicate()
  }

  /// Goes on until `isDone`. `before` is called before each turn of the loop.
  func feed(before: () -> Void, until isDone: () -> Bool) throws(Errno) {
    var turns = 0
    var isOpen = true
    while !isDone() {
      if !rest.isEmpty {
        do throws(Errno) {
          rest = rest.dropFirst(try Socket.send(rest.prefix(piece), to: socket.rawValue))
        } catch .brokenPipe {
          rest = []
        }
      } else if isOpen {
        isOpen = false
        Socket.shutdownWrites(socket.descriptor)
      }
      before()
      try loop.turn(limit: .zero)
      receive()
      turns += 1
      expect(turns < 20_000, "it has not ended after \(turns) turns")
    }
    receive()
  }

  private func receive() {
    while let got = try? Socket.receive(into: &buffer, from: socket.rawValue), got.count > 0 {
      received += buffer[..<got.count]
    }
  }
}
