/// Sends messages to the journal, in its own protocol: sd_journal_send(3) would wait for a journal that hangs.
package final class JournalSocket {
  private static let path = "/run/systemd/journal/socket"

  private var socket: FileDescriptor?

  package init() { socket = try? Socket.connect(to: Self.path, .datagrams) }

  /// false: the message is lost.
  @discardableResult
  package func write(_ message: String, priority: Int, fields: [(name: String, value: String)]) -> Bool {
    let bytes = Self.encoded(
      [("MESSAGE", message), ("PRIORITY", "\(priority)"), ("SYSLOG_IDENTIFIER", "extensiond")] + fields)
    if send(bytes) { return true }
    // A journal that was started anew has another socket at the same path.
    guard socket != nil, let again = try? Socket.connect(to: Self.path, .datagrams) else { return false }
    socket = consume again
    return send(bytes)
  }

  /// A value of several lines goes with its length: systemd, JOURNAL_NATIVE_PROTOCOL.md.
  package static func encoded(_ fields: [(name: String, value: String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields {
      let value = Array(value.utf8)
      bytes += Array(name.utf8)
      if value.contains(UInt8(ascii: "\n")) {
        bytes.append(UInt8(ascii: "\n"))
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: UInt64(value.count) >> (shift * 8))) }
      } else {
        bytes.append(UInt8(ascii: "="))
      }
      bytes += value
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    guard let raw = socket?.rawValue else { return false }
    return (try? Socket.send(bytes[...], to: raw)) != nil
  }
}
