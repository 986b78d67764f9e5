public import LinuxSystem
internal import Synchronization

/// One end of a connection between a host and an extension: a stream socket of their own. The place of
/// `NSXPCConnection`.
public final class AppExtensionConnection: Sendable {
  /// What an extension says to a connection. `true` and `false` will do.
  public enum Decision: ExpressibleByBooleanLiteral, Hashable, Sendable {
    case accept
    case reject(reason: String)

    public init(booleanLiteral value: Bool) {
      self = value ? .accept : .reject(reason: "the extension refused the connection")
    }
  }

  /// The scene that it belongs to; nil for one that is global to the extension.
  public let sceneID: String?
  private let socket: Mutex<SharedDescriptor?>

  init(_ socket: SharedDescriptor, sceneID: String?) {
    self.socket = Mutex(socket)
    self.sceneID = sceneID
  }

  /// The socket itself, for a protocol of one's own. Once: the connection is of no use afterwards.
  public func takeSocket() -> SharedDescriptor? {
    socket.withLock { socket in
      defer { socket = nil }
      return socket
    }
  }

  /// Sends one line. Blocks while the peer does not read.
  public func send(line: String) throws {
    guard let socket = socket.withLock({ $0 }) else {
      throw AppExtensionError(.activationEnded, "the connection is closed")
    }
    var rest = Array((line + "\n").utf8)[...]
    do throws(Errno) {
      while !rest.isEmpty {
        rest = rest.dropFirst(try Socket.send(rest, to: socket.rawValue, nonBlocking: false))
      }
    } catch {
      throw AppExtensionError(.activationEnded, "the connection is broken: \(error)")
    }
  }

  /// The lines that the peer sends, until it closes its end. Read by a thread of its own; one reader at a time.
  public var lines: AsyncStream<String> {
    AsyncStream { continuation in
      guard let socket = socket.withLock({ $0 }) else { return continuation.finish() }
      do throws(Errno) {
        try startThread {
          Self.read(socket) { continuation.yield($0) }
          continuation.finish()
        }
      } catch {
        continuation.finish()
      }
    }
  }

  private static func read(_ socket: SharedDescriptor, _ line: (String) -> Void) {
    var waiting: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while let got = try? Socket.receive(into: &buffer, from: socket.rawValue, nonBlocking: false),
      got.count > 0
    {
      waiting += buffer[..<got.count]
      while let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        line(String(decoding: waiting[..<end], as: UTF8.self))
        waiting.removeFirst(end + 1)
      }
      // A line without end is no line.
      if waiting.count > 1 << 20 { return }
    }
  }

  /// Closes this end.
  public func invalidate() {
    guard let socket = takeSocket() else { return }
    Socket.shutdown(socket.descriptor)
  }
}

@available(*, unavailable, renamed: "AppExtensionConnection")
public typealias NSXPCConnection = AppExtensionConnection
