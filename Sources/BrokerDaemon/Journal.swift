internal import BrokerCore
internal import CSystemd
internal import LinuxSystem

/// Where messages for people go: the journal with its fields, or standard error.
struct Journal {
  private let toJournal: Bool
  private let threshold: LogEntry.Level

  /// `quiet`: only what is wrong, where people read standard error for something else.
  init(quiet: Bool = false) {
    toJournal = CurrentProcess.environment("JOURNAL_STREAM") != nil
    threshold = CurrentProcess.environment("EXTENSIOND_DEBUG") != nil ? .debug : quiet ? .warning : .info
  }

  func write(_ entry: LogEntry) {
    guard entry.level.rawValue <= threshold.rawValue else { return }
    guard toJournal else {
      let marks: [LogEntry.Level: String] = [.error: "error: ", .warning: "warning: "]
      CurrentProcess.printError("extensiond: \(marks[entry.level] ?? "")\(entry.message)")
      return
    }
    var fields = [
      "MESSAGE=\(entry.message)", "PRIORITY=\(entry.level.rawValue)", "SYSLOG_IDENTIFIER=extensiond",
    ]
    for (name, value) in entry.fields { fields.append("\(name)=\(value)") }
    // One block of bytes for all fields: sendv wants pointers that stay.
    let texts = fields.map { Array($0.utf8) }
    let all = texts.flatMap { $0 }
    unsafe all.withUnsafeBytes { bytes in
      var vectors: [iovec] = unsafe []
      var offset = 0
      for text in texts {
        let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress?.advanced(by: offset))
        unsafe vectors.append(iovec(iov_base: start, iov_len: text.count))
        offset += text.count
      }
      _ = unsafe sd_journal_sendv(vectors, Int32(vectors.count))
    }
  }
}
