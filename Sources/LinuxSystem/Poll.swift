internal import CLinux

/// Waiting for one descriptor, for code without an event loop.
package enum Poll {
  /// Waits until there is something to read, or the end. false: the deadline passed.
  package static func readable(_ descriptor: CInt, deadline: MonotonicTime? = nil) throws(Errno) -> Bool {
    try wait([descriptor], deadline: deadline).first ?? false
  }

  /// Waits until one of several is readable. Says of each whether it is; all false when the deadline passed.
  package static func wait(_ descriptors: [CInt], deadline: MonotonicTime? = nil) throws(Errno) -> [Bool] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      var timeout: CInt = -1
      if let deadline {
        let left = deadline.nanoseconds - MonotonicTime.now.nanoseconds
        timeout = CInt(clamping: max(0, (left + 999_999) / 1_000_000))
      }
      let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
      if count >= 0 { return entries.map { $0.revents != 0 } }
      let error = Errno.last
      if error != .interrupted { throw error }
    }
  }
}
