internal import LinuxSystem

/// Sends lines to the journal, in its own protocol: sd_journal_send(3) would wait for a journal that hangs.
final class Journal {
  private static let path = "/run/systemd/journal/socket"

  private var socket: FileDescriptor?

  init() { socket = try? Socket.connect(to: Self.path, .datagrams) }

  /// false: the line is lost. Values must not hold newlines.
  @discardableResult
  func write(_ message: String, priority: Int, fields: [(name: String, value: String)]) -> Bool {
    var text = "MESSAGE=\(message)\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=extensiond\n"
    for field in fields { text += "\(field.name)=\(field.value)\n" }
    let bytes = Array(text.utf8)
    if send(bytes) { return true }
    // A journal that was started anew has another socket at the same path.
    guard socket != nil, let again = try? Socket.connect(to: Self.path, .datagrams) else { return false }
    socket = consume again
    return send(bytes)
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    guard let raw = socket?.rawValue else { return false }
    return (try? Socket.send(bytes[...], to: raw)) != nil
  }
}
