internal import CLinux

extension File {
  /// Opens `path` so that nothing can lead out of `directory`: no `..` past it, no other mount, and no symbolic
  /// link at all unless `followLinks`. What leads out throws `crossDevice`, a link throws `loop`. A path with NUL names
  /// nothing, not even what stands before it: throws `noEntry`.
  @usableFromInline package static func openBeneath(
    _ directory: CInt, _ path: String, _ flags: Flags = .readOnly, followLinks: Bool = false
  ) throws(Errno) -> FileDescriptor {
    if path.utf8.contains(0) { throw .noEntry }
    let links = followLinks ? 0 : UInt64(CLINUX_RESOLVE_NO_SYMLINKS)
    let resolve = UInt64(CLINUX_RESOLVE_BENEATH) | UInt64(CLINUX_RESOLVE_NO_XDEV) | links
    return try checkDescriptor {
      unsafe path.withCString {
        unsafe clinux_openat2(directory, $0, UInt64(flags.rawValue | O_CLOEXEC), resolve)
      }
    }
  }

  /// The whole content of a file beneath `directory`; throws `messageTooLong` past `limit` bytes.
  package static func readBeneath(_ directory: CInt, _ path: String, limit: Int) throws(Errno) -> [UInt8] {
    // Non-blocking, so that a fifo or a lease of somebody else's does not hold us up.
    let file = try openBeneath(directory, path, .nonBlocking)
    let status = try FileStatus(of: file.rawValue)
    guard status.kind == .regular else { throw status.kind == .directory ? .isDirectory : .invalidArgument }
    if status.size > limit { throw .messageTooLong }
    var bytes = try file.read(upTo: Int(status.size) + 1)
    while !bytes.isEmpty {
      let more = try file.read(upTo: 4096)
      if more.isEmpty { break }
      bytes += more
      if bytes.count > limit { throw .messageTooLong }
    }
    return bytes
  }
}

extension Errno {
  /// A path leads out of the place that it had to stay in, or to another mount.
  package static let crossDevice = Errno(rawValue: EXDEV)
}

extension FileDescriptor {
  /// Reads into a buffer of the caller's; 0 means the end.
  package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let raw = rawValue
    return try check { unsafe CLinux.read(raw, buffer.baseAddress, buffer.count) }
  }
}
