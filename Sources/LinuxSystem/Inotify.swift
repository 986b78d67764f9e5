internal import CLinux

/// Tells of changes in directories: inotify(7). The descriptor is non-blocking, for an event loop.
package struct Inotify: ~Copyable, Sendable {
  package struct Mask: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let modified = Mask(rawValue: UInt32(IN_MODIFY))
    package static let attributes = Mask(rawValue: UInt32(IN_ATTRIB))
    package static let closedAfterWriting = Mask(rawValue: UInt32(IN_CLOSE_WRITE))
    package static let movedFrom = Mask(rawValue: UInt32(IN_MOVED_FROM))
    package static let movedTo = Mask(rawValue: UInt32(IN_MOVED_TO))
    package static let created = Mask(rawValue: UInt32(IN_CREATE))
    package static let deleted = Mask(rawValue: UInt32(IN_DELETE))
    package static let selfDeleted = Mask(rawValue: UInt32(IN_DELETE_SELF))
    package static let selfMoved = Mask(rawValue: UInt32(IN_MOVE_SELF))

    /// Everything that changes what a directory holds, or the directory itself.
    package static let changes: Mask = [
      .modified, .attributes, .closedAfterWriting, .movedFrom, .movedTo, .created, .deleted, .selfDeleted,
      .selfMoved,
    ]

    /// Only told: the file system was unmounted.
    package static let unmounted = Mask(rawValue: UInt32(IN_UNMOUNT))
    /// Only told: events were lost, look at everything again. `watch` is -1.
    package static let overflow = Mask(rawValue: UInt32(IN_Q_OVERFLOW))
    /// Only told: the watch has ended, and its number may be given again.
    package static let ignored = Mask(rawValue: UInt32(IN_IGNORED))
    /// Only told: the event is about a directory.
    package static let isDirectory = Mask(rawValue: clinux_IN_ISDIR)
  }

  package struct Event: Hashable, Sendable {
    package let watch: Int32
    package let mask: Mask
    /// The same in both halves of a rename; else 0.
    package let cookie: UInt32
    /// The entry in the watched directory; empty for the directory itself.
    package let name: String
  }

  package let descriptor: FileDescriptor

  package init() throws(Errno) {
    descriptor = try checkDescriptor { inotify_init1(clinux_IN_FLAGS) }
  }

  /// Watches a directory. A second call for the same one adds to its mask and gives the same number. Asks the file system,
  /// which may take any time. Throws `noSpace` when the person's watches (fs.inotify.max_user_watches) are used up: poll
  /// instead.
  package borrowing func watch(_ path: String, for mask: Mask = .changes) throws(Errno) -> Int32 {
    let raw = descriptor.rawValue
    let flags = mask.rawValue | clinux_IN_ONLYDIR | clinux_IN_EXCL_UNLINK | UInt32(IN_MASK_ADD)
    return try check { unsafe path.withCString { unsafe inotify_add_watch(raw, $0, flags) } }
  }

  /// Watches the very directory that is open, whatever its path is now.
  package borrowing func watch(directory: CInt, for mask: Mask = .changes) throws(Errno) -> Int32 {
    try watch("/proc/self/fd/\(directory)", for: mask)
  }

  /// Ends a watch; one that has ended already is no error.
  package borrowing func remove(_ watch: Int32) {
    _ = inotify_rm_watch(descriptor.rawValue, watch)
  }

  /// The events that wait; empty when there are none.
  package borrowing func events() throws(Errno) -> [Event] {
    let bytes: [UInt8]
    do throws(Errno) { bytes = try descriptor.read(upTo: 65536) } catch .again { return [] }
    var events: [Event] = []
    var offset = 0
    while offset + 16 <= bytes.count {
      // struct inotify_event: watch, mask, cookie, length of the name with its NULs; 4 bytes each.
      let length = Int(word(bytes, offset + 12))
      let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
      events.append(
        Event(
          watch: Int32(bitPattern: word(bytes, offset)), mask: Mask(rawValue: word(bytes, offset + 4)),
          cookie: word(bytes, offset + 8), name: String(decoding: name, as: UTF8.self)))
      offset += 16 + length
    }
    return events
  }
}

/// One that a worker adds to while the loop reads it.
package final class SharedInotify: Sendable {
  package let inotify: Inotify

  package init() throws(Errno) { inotify = try Inotify() }
}

private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
  unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
}
