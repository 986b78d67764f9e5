/// What the kernel says of a process in one line: proc_pid_stat(5).
package struct ProcessStatistics {
  package let name: Substring
  /// From field 3 on.
  private let fields: [Substring]

  /// nil where there is no such process.
  package init?(of processID: Int32) {
    guard let bytes = try? File.read("/proc/\(processID)/stat", limit: 4096) else { return nil }
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  package init?(_ text: String) {
    // The name in parentheses may hold anything, blanks and parentheses too.
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else {
      return nil
    }
    name = text[text.index(after: open)..<close]
    fields = text[text.index(after: close)...].split { $0 == " " || $0 == "\n" }
  }

  /// A number, by what the manual numbers it from 3 on; nil where there is none.
  package subscript(field: Int) -> Int? {
    fields.indices.contains(field - 3) ? Int(fields[field - 3]) : nil
  }

  /// It has ended, or is about to: PF_EXITING is set before descriptors are closed.
  package var isEnding: Bool {
    fields.first == "Z" || fields.first == "X" || (self[9] ?? 0) & 0x4 != 0
  }
}
