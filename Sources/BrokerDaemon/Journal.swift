internal import BrokerCore
internal import LinuxSystem

/// Where messages for people go: the journal with its fields, or standard error.
struct Journal {
  private let socket: JournalSocket?
  let threshold: LogEntry.Level

  /// `quiet`: only what is wrong, where people read standard error for something else.
  init(quiet: Bool = false) {
    socket = CurrentProcess.environment("JOURNAL_STREAM") == nil ? nil : JournalSocket()
    threshold = CurrentProcess.environment("EXTENSIOND_DEBUG") != nil ? .debug : quiet ? .warning : .info
  }

  func write(_ entry: LogEntry) {
    guard entry.level.rawValue <= threshold.rawValue else { return }
    guard let socket else {
      let marks: [LogEntry.Level: String] = [.error: "error: ", .warning: "warning: "]
      CurrentProcess.printError("extensiond: \(marks[entry.level] ?? "")\(entry.message)")
      return
    }
    socket.write(
      entry.message, priority: entry.level.rawValue,
      fields: entry.fields.map { (name: $0.key, value: $0.value) })
  }
}
