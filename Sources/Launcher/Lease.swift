internal import LauncherProtocol
internal import LinuxSystem

/// One end of a host's lease. It ends when the host closes the other end, or dies.
final class Lease {
  enum End { case host, instance }

  let activation: String
  let instance: String
  var note: String
  private(set) var ended: End?
  private var socket: SharedDescriptor?
  private var watch: EventLoop.Watch?

  init(
    activation: String, instance: String, note: String, socket: SharedDescriptor, loop: EventLoop,
    onEnd: @escaping (Lease) -> Void
  ) throws(Errno) {
    self.activation = activation
    self.instance = instance
    self.note = note
    self.socket = socket
    // Not for reading: a lease carries no bytes, so a host that sends some fills its own socket and keeps nobody busy.
    watch = try loop.watch(socket.rawValue, for: .peerClosed) { [unowned self] _ in
      self.end(.host)
      onEnd(self)
    }
  }

  deinit { watch?.cancel() }

  var isLiving: Bool { ended == nil }

  /// Closes this end; the host sees it.
  func end(_ end: End) {
    guard ended == nil else { return }
    ended = end
    watch?.cancel()
    watch = nil
    socket = nil
  }

  var row: LauncherEventsInterface.LeaseRow {
    .init(
      activation: activation, instance: instance, note: note,
      ended: ended.map { $0 == .host ? .host : .instance })
  }
}
