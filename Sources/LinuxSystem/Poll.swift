internal import CLinux

/// Waiting for one descriptor, for code without an event loop.
package enum Poll {
  /// Waits until there is something to read, or the end. false: the deadline passed.
  package static func readable(_ descriptor: CInt, deadline: MonotonicTime? = nil) throws(Errno) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return try unsafe wait(&entry, count: 1, deadline: deadline) > 0
  }

  /// Waits until one of several is readable. Says of each whether it is; all false when the deadline passed.
  package static func wait(_ descriptors: [CInt], deadline: MonotonicTime? = nil) throws(Errno) -> [Bool] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = try unsafe wait(&entries, count: entries.count, deadline: deadline)
    return entries.map { $0.revents != 0 }
  }

  /// How many of them are.
  private static func wait(
    _ entries: UnsafeMutablePointer<pollfd>, count: Int, deadline: MonotonicTime?
  ) throws(Errno) -> CInt {
    while true {
      var timeout: CInt = -1
      if let deadline {
        let left = deadline.nanoseconds - MonotonicTime.now.nanoseconds
        timeout = CInt(clamping: max(0, (left + 999_999) / 1_000_000))
      }
      let ready = unsafe poll(entries, nfds_t(count), timeout)
      if ready >= 0 { return ready }
      let error = Errno.last
      if error != .interrupted { throw error }
    }
  }
}
