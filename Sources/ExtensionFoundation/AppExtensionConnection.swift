public import LinuxSystem
internal import Synchronization

/// One end of a connection between a host and an extension: a stream socket of their own. The place of
/// `NSXPCConnection`. Any thread may use it. Letting go of it closes its end.
public final class AppExtensionConnection: Sendable {
  /// What an extension says to a connection. `true` and `false` will do.
  public enum Decision: ExpressibleByBooleanLiteral, Hashable, Sendable {
    case accept
    /// The host gets the reason as its error's message. What is beyond 1000 characters is cut off.
    case reject(reason: String)

    public init(booleanLiteral value: Bool) { self.init(value) }

    init(_ accepts: Bool) {
      self = accepts ? .accept : .reject(reason: "the extension refused the connection")
    }
  }

  /// The activation that it belongs to: one host's use of the extension. 'extctl' prints the same.
  public let activationID: String
  /// The scene that it belongs to; nil for one that is global to the extension.
  public let sceneID: String?
  private let socket: Mutex<SharedDescriptor?>

  init(_ socket: SharedDescriptor, activationID: String, sceneID: String?) {
    self.activationID = activationID
    self.sceneID = sceneID
    self.socket = Mutex(socket)
  }

  /// The socket itself, for a protocol of one's own. Once: the connection is of no use afterwards.
  public func takeSocket() -> SharedDescriptor? {
    socket.withLock { socket in
      defer { socket = nil }
      return socket
    }
  }

  /// Sends a line. Blocks while the peer does not read.
  /// - Throws: `AppExtensionError` with the code `connectionClosed`.
  public func send(line: String) throws {
    guard let socket = socket.withLock({ $0 }) else {
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

  /// The lines that the peer sends, until one side closes the connection. For one reader.
  public var lines: Lines { Lines(socket: socket.withLock { $0 }) }

  /// Closes this end. The peer and whoever reads `lines` see the end.
  public func invalidate() {
    guard let socket = takeSocket() else { return }
    Socket.shutdown(socket.descriptor)
  }
}

@available(*, unavailable, renamed: "AppExtensionConnection")
public typealias NSXPCConnection = AppExtensionConnection
