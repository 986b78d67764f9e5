internal import CLinux

/// What stands in a directory: getdents64(2).
package enum DirectoryReader {
  package struct Entry: Hashable, Sendable {
    package let name: String
    /// A hint: `unknown` on file systems that do not keep it.
    package let kind: FileStatus.Kind
    /// false: the name is not UTF-8; `name` is a readable form that opens nothing.
    package let isText: Bool
  }

  /// All entries but `.` and `..`, in no order. The descriptor must be open for reading.
  ///
  /// `isNew`: it was opened for this.
  package static func entries(of directory: CInt, isNew: Bool = false) throws(Errno) -> [Entry] {
    var entries: [Entry] = []
    try read(directory, isNew: isNew) { name, kind in
      let valid = String(validating: name, as: UTF8.self)
      entries.append(
        Entry(name: valid ?? String(decoding: name, as: UTF8.self), kind: kind, isText: valid != nil))
      return true
    }
    return entries
  }

  /// Gives each entry with the bytes of its name, which need not be text, and the zero that calls want behind it. They
  /// may be removed meanwhile. Ends when `body` answers false.
  package static func each(
    of directory: CInt, _ body: (_ name: [CChar], FileStatus.Kind) throws(Errno) -> Bool
  ) throws(Errno) {
    try read(directory) { name, kind throws(Errno) in
      try body(name.map(CChar.init(bitPattern:)) + [0], kind)
    }
  }

  private static func read(
    _ directory: CInt, isNew: Bool = false, _ body: (ArraySlice<UInt8>, FileStatus.Kind) throws(Errno) -> Bool
  ) throws(Errno) {
    if !isNew { try check { lseek(directory, 0, SEEK_SET) } }
    // Not filled with anything: to clear it takes longer than to list a small directory. And of a size that malloc has at
    // hand, as long as that is enough: for a large one it puts all in order first that was freed.
    var buffer = [UInt8].uninitialized(count: smallSize)
    while true {
      let count = try check { unsafe clinux_getdents(directory, &buffer, buffer.count) }
      if count == 0 { return }
      var offset = 0
      while offset < count {
        // struct linux_dirent64: inode 8, offset 8, record length 2, type 1, name with NUL.
        let length = Int(buffer[offset + 16]) | Int(buffer[offset + 17]) << 8
        let name = buffer[(offset + 19)..<(offset + length)].prefix { $0 != 0 }
        if !isDots(name) {
          guard try body(name, kind(buffer[offset + 18])) else { return }
        }
        offset += length
      }
      // There was no room for the largest entry.
      if buffer.count == smallSize, buffer.count - count < 280 { buffer = .uninitialized(count: largeSize) }
    }
  }

  private static let smallSize = 992
  private static let largeSize = 32768

  private static func isDots(_ name: ArraySlice<UInt8>) -> Bool {
    name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  private static func kind(_ type: UInt8) -> FileStatus.Kind {
    switch type {
    case 1: .fifo
    case 2: .characterDevice
    case 4: .directory
    case 6: .blockDevice
    case 8: .regular
    case 10: .symbolicLink
    case 12: .socket
    default: .unknown
    }
  }
}
