internal import LinuxSystem

extension AppExtensionConnection {
  /// Sends a line. Blocks while the peer does not read.
  /// - Throws: `AppExtensionError` with the code `connectionClosed`.
  public func send(line: String) throws {
    guard let socket = lineSocket() else {
      throw AppExtensionError(.connectionClosed, "the connection is closed on this side")
    }
    var rest = Array((line + "\n").utf8)[...]
    do throws(Errno) {
      while !rest.isEmpty {
        rest = rest.dropFirst(try Socket.send(rest, to: socket.rawValue, nonBlocking: false))
      }
    } catch {
      throw AppExtensionError(.connectionClosed, "the connection is closed by the other side: \(error)")
    }
    // Another thread may take the socket meanwhile; its number must stay ours until here.
    withExtendedLifetime(socket) {}
  }

  /// The lines that the peer sends, until one side closes the connection. For one reader, and not after `resume()`.
  public var lines: Lines { Lines(socket: lineSocket()) }

  /// Lines from the peer. Nothing is read ahead of the reader, so a peer that sends too much waits.
  ///
  /// A reader that is cancelled returns with the next line, or with the connection's end. What has no end of line,
  /// or more than a MiB before it, is no line, and ends the sequence.
  public struct Lines: AsyncSequence, Sendable {
    let socket: SharedDescriptor?

    /// Begins to read. Each line goes to one reader alone.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Reads the lines, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
      private static let limit = 1 << 20
      private let socket: SharedDescriptor?
      private var waiting: ArraySlice<UInt8> = []

      init(socket: SharedDescriptor?) { self.socket = socket }

      /// The next line without its end; nil when the connection has ended. Waits on a thread of its own.
      public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> String? {
        guard let socket else { return nil }
        var searched = waiting.startIndex
        while true {
          if let end = waiting[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            defer { waiting = waiting[(end + 1)...] }
            return String(decoding: waiting[..<end], as: UTF8.self)
          }
          guard waiting.count <= Self.limit,
            let more = try? await Blocking.run({ try Self.receive(from: socket) }), !more.isEmpty
          else { return nil }
          searched = waiting.count
          waiting = Array(waiting + more)[...]
        }
      }

      private static func receive(from socket: SharedDescriptor) throws(Errno) -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = try Socket.receive(into: &buffer, from: socket.rawValue, nonBlocking: false).count
        return buffer[..<count]
      }
    }
  }
}
