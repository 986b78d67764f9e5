internal import CLinux

/// Calls on paths. Each throws the kernel's error; the caller knows what it wanted and says so.
@usableFromInline package enum File {
  @usableFromInline package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: CInt
    @usableFromInline package init(rawValue: CInt) { self.rawValue = rawValue }

    @usableFromInline package static let readOnly = Flags([])
    package static let writeOnly = Flags(rawValue: O_WRONLY)
    package static let readWrite = Flags(rawValue: O_RDWR)
    package static let create = Flags(rawValue: O_CREAT)
    package static let exclusive = Flags(rawValue: O_EXCL)
    package static let truncate = Flags(rawValue: O_TRUNC)
    package static let append = Flags(rawValue: O_APPEND)
    package static let directory = Flags(rawValue: O_DIRECTORY)
    package static let noFollow = Flags(rawValue: O_NOFOLLOW)
    /// Only a handle: no reading, no writing, no side effect.
    package static let path = Flags(rawValue: 0o10_000_000)
    package static let nonBlocking = Flags(rawValue: O_NONBLOCK)
  }

  /// Opens `path`, relative to `directory` if it is given. `mode` counts only for a new file.
  @usableFromInline package static func open(
    _ path: String, _ flags: Flags, mode: UInt32 = 0o600, in directory: CInt? = nil
  ) throws(Errno) -> FileDescriptor {
    try checkDescriptor {
      unsafe path.withCString { path in
        unsafe clinux_open(directory ?? AT_FDCWD, path, flags.rawValue, mode)
      }
    }
  }

  /// The same for a name of any bytes, with a zero behind it, as `DirectoryReader.each` gives it.
  package static func open(_ name: [CChar], _ flags: Flags, in directory: CInt) throws(Errno)
    -> FileDescriptor
  {
    try checkDescriptor { unsafe clinux_open(directory, name, flags.rawValue, 0) }
  }

  /// The whole content; throws `messageTooLong` past `limit` bytes.
  package static func read(_ path: String, limit: Int, in directory: CInt? = nil) throws(Errno) -> [UInt8] {
    try open(path, .readOnly, in: directory).readToEnd(limit: limit)
  }

  /// Writes into a file that exists, such as one of cgroup(7).
  package static func write(_ text: String, to path: String, in directory: CInt? = nil) throws(Errno) {
    try open(path, .writeOnly, in: directory).write(all: Array(text.utf8))
  }

  @usableFromInline package static func makeDirectory(
    _ path: String, mode: UInt32 = 0o700, in directory: CInt? = nil
  )
    throws(Errno)
  {
    try check { unsafe path.withCString { unsafe mkdirat(directory ?? AT_FDCWD, $0, mode) } }
  }

  /// Makes a directory and those above it that do not exist.
  @usableFromInline package static func makeDirectories(_ path: String, mode: UInt32 = 0o700) throws(Errno) {
    do throws(Errno) {
      try makeDirectory(path, mode: mode)
    } catch .exists {
      return
    } catch .noEntry {
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw .noEntry }
      try makeDirectories(String(path[..<slash]), mode: mode)
      do throws(Errno) { try makeDirectory(path, mode: mode) } catch .exists {}
    }
  }

  package static func remove(_ path: String, in directory: CInt? = nil) throws(Errno) {
    try check { unsafe path.withCString { unsafe unlinkat(directory ?? AT_FDCWD, $0, 0) } }
  }

  package static func removeDirectory(_ path: String, in directory: CInt? = nil) throws(Errno) {
    try check { unsafe path.withCString { unsafe unlinkat(directory ?? AT_FDCWD, $0, AT_REMOVEDIR) } }
  }

  package enum RenameMode: UInt32, Sendable {
    case replace = 0
    /// Throws `exists` where something has the new name.
    case noReplace = 1
    /// The two change places, atomically.
    case exchange = 2
  }

  package static func rename(_ from: String, to: String, _ mode: RenameMode = .replace) throws(Errno) {
    try check {
      unsafe from.withCString { from in
        unsafe to.withCString { unsafe clinux_rename(from, $0, mode.rawValue) }
      }
    }
  }

  /// What a symbolic link holds. What is not UTF-8 is given in a readable form.
  package static func readLink(_ path: String, in directory: CInt? = nil) throws(Errno) -> String {
    String(decoding: try linkTarget(path, in: directory), as: UTF8.self)
  }

  /// The same where it is copied or compared; throws `noText` where it is not UTF-8.
  package static func readTextLink(_ path: String, in directory: CInt? = nil) throws(Errno) -> String {
    guard let text = String(validating: try linkTarget(path, in: directory), as: UTF8.self) else {
      throw .noText
    }
    return text
  }

  private static func linkTarget(_ path: String, in directory: CInt?) throws(Errno) -> ArraySlice<UInt8> {
    var buffer = [CChar](repeating: 0, count: 4097)
    let count = try check {
      unsafe path.withCString {
        unsafe clinux_readlinkat(directory ?? AT_FDCWD, $0, &buffer, buffer.count - 1)
      }
    }
    return buffer.prefix(count).map { UInt8(bitPattern: $0) }[...]
  }

  /// Whether anything is at `path`, a dangling link too.
  package static func exists(_ path: String) -> Bool {
    (try? open(path, [.path, .noFollow])) != nil
  }

  /// Takes the lock of an open file for this process, until the descriptor is closed: flock(2).
  /// false: somebody else has it.
  package static func tryLock(_ file: borrowing FileDescriptor) throws(Errno) -> Bool {
    let raw = file.rawValue
    do throws(Errno) { try check { flock(raw, LOCK_EX | LOCK_NB) } } catch .again { return false }
    return true
  }

  /// Whether some process has that lock of the file at `path`. Only looks, so nobody is kept from it: proc_locks(5).
  package static func isLocked(_ path: String) -> Bool {
    guard let status = try? FileStatus(at: path), let locks = try? read("/proc/locks", limit: 1 << 20) else {
      return false
    }
    // As in "1: FLOCK  ADVISORY  WRITE 4711 00:2f:93 0 EOF".
    return locks.split(separator: UInt8(ascii: "\n")).contains { line in
      let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
      return fields.count > 5 && fields[1] == "FLOCK" && fields[5].hasSuffix(":\(status.inode)")
        && Self.device(fields[5]) == status.device
    }
  }

  /// The number of `major:minor:inode`, the first two hexadecimal: makedev(3).
  private static func device(_ text: Substring) -> UInt64? {
    let parts = text.split(separator: ":").prefix(2).compactMap { UInt64($0, radix: 16) }
    guard parts.count == 2 else { return nil }
    return parts[1] & 0xFF | (parts[0] & 0xFFF) << 8 | (parts[1] & ~0xFF) << 12 | (parts[0] & ~0xFFF) << 32
  }
}

extension File {
  /// Whether a socket's file is at `path`.
  package static func isSocket(_ path: String) -> Bool { (try? FileStatus(at: path))?.kind == .socket }
}
