internal import ExtensionFoundation
public import LinuxSystem
internal import Synchronization

/// The host's end of the Wayland connection of one process of an extension: what a compositor is given to show its scenes.
///
/// Each process has one, which comes with the first connection to one of its scenes and is the same object for the later
/// ones. When the last reference goes, what has not been taken is closed, and the extension's toolkit ends.
public final class SceneDisplay: Sendable {
  private struct Weak: Sendable {
    weak var display: SceneDisplay?
  }

  /// By the instance.
  private static let known = Mutex<[String: Weak]>([:])
  /// By the extension: a later connection may be answered before the first, and must find what that one brought.
  private static let turns = Mutex<[String: Turn]>([:])

  private final class Turn: Sendable {
    let lock = Mutex(())
  }

  /// The process of the extension. 'extctl ps' prints the same.
  public let instanceID: String
  /// The process knows nothing of scenes: every window on this display is the one scene's that it was started for. On others a
  /// window says whose it is, by the `activationID` of a connection to the scene.
  public let isUnmodified: Bool
  private let socket: Mutex<SharedDescriptor?>

  private init(_ instanceID: String, _ socket: SharedDescriptor, isUnmodified: Bool) {
    self.instanceID = instanceID
    self.isUnmodified = isUnmodified
    self.socket = Mutex(socket)
  }

  deinit {
    let id = instanceID
    Self.known.withLock { if $0[id]?.display == nil { $0[id] = nil } }
  }

  /// The socket on which the extension is a Wayland client. Once; nil afterwards.
  public func takeSocket() -> SharedDescriptor? {
    socket.withLock { socket in
      defer { socket = nil }
      return socket
    }
  }

  /// Blocks until the extension has answered.
  static func connect(
    _ process: AppExtensionProcess, of identifier: String
  ) throws -> (connection: AppExtensionConnection, display: SceneDisplay) {
    let turn = turns.withLock { turns in
      let turn = turns[identifier] ?? Turn()
      turns[identifier] = turn
      return turn
    }
    return try turn.lock.withLock { _ in
      let shown = try process.show()
      let id = shown.instanceID ?? ""
      if let socket = shown.display {
        let display = SceneDisplay(id, socket, isUnmodified: shown.isUnmodified)
        known.withLock { $0[id] = Weak(display: display) }
        return (shown.connection, display)
      }
      guard let display = known.withLock({ $0[id]?.display }) else {
        throw AppExtensionError(
          .displayUnavailable,
          "the display of this process of the extension is not here any more: end all its scenes, and begin anew"
        )
      }
      return (shown.connection, display)
    }
  }
}
