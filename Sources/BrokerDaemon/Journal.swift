internal import BrokerCore
internal import CSystemd
internal import LinuxSystem

/// Where messages for people go: the journal with its fields, or standard error.
struct Journal {
  private let toJournal: Bool
  private let threshold: LogEntry.Level

  init() {
    toJournal = CurrentProcess.environment("JOURNAL_STREAM") != nil
    threshold = CurrentProcess.environment("EXTENSIOND_DEBUG") == nil ? .info : .debug
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
    var vectors: [iovec] = unsafe []
    for field in fields {
      let text = unsafe strdup(field)
      unsafe vectors.append(iovec(iov_base: text, iov_len: field.utf8.count))
    }
    _ = unsafe sd_journal_sendv(vectors, Int32(vectors.count))
    for unsafe vector in unsafe vectors { unsafe free(vector.iov_base) }
  }
}
