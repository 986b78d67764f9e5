internal import CLinux

/// An open descriptor with one owner, closed when the owner ends. Always close-on-exec.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number. Valid as long as this value lives, so give the value a name first: that of an unnamed value is closed
  /// before the number is used. Never close it.
  public let rawValue: CInt

  /// Takes over a descriptor that nobody else closes.
  public init(owning rawValue: CInt) { self.rawValue = rawValue }

  deinit { close(rawValue) }

  /// Gives the number away; the caller closes it.
  public consuming func take() -> CInt {
    let value = rawValue
    discard self
    return value
  }

  /// A second descriptor for the same open file.
  public borrowing func duplicate() throws(Errno) -> FileDescriptor {
    let raw = rawValue
    return try checkDescriptor { clinux_fcntl(raw, F_DUPFD_CLOEXEC, 3) }
  }

  /// Reads at most `count` bytes. Empty means the end.
  public borrowing func read(upTo count: Int) throws(Errno) -> [UInt8] {
    let raw = rawValue
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try check { unsafe Glibc_read(raw, &bytes, count) }
    bytes.removeLast(count - got)
    return bytes
  }

  /// The next read begins at the start of the file.
  package borrowing func rewind() throws(Errno) {
    let raw = rawValue
    try check { Int(lseek(raw, 0, SEEK_SET)) }
  }

  /// Writes all bytes, or throws. For files and blocking descriptors.
  public borrowing func write(all bytes: [UInt8]) throws(Errno) {
    let raw = rawValue
    var done = 0
    while done < bytes.count {
      let from = done
      done += try check {
        unsafe bytes.withUnsafeBytes { buffer in
          guard let base = buffer.baseAddress else { return 0 }
          return unsafe CLinux.write(raw, base + from, buffer.count - from)
        }
      }
    }
  }

  /// Reads to the end; throws `messageTooLong` past `limit` bytes.
  public borrowing func readToEnd(limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = try read(upTo: min(65536, limit - bytes.count + 1))
      if part.isEmpty { return bytes }
      bytes += part
      if bytes.count > limit { throw .messageTooLong }
    }
  }

  /// Sets or clears O_NONBLOCK.
  public borrowing func setNonBlocking(_ nonBlocking: Bool = true) throws(Errno) {
    let raw = rawValue
    let flags = try check { clinux_fcntl(raw, F_GETFL, 0) }
    let wanted = nonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
    if wanted != flags { try check { clinux_fcntl(raw, F_SETFL, wanted) } }
  }
}

private func Glibc_read(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}

/// A descriptor that several values may hold; closed with the last of them.
public final class SharedDescriptor: Sendable {
  /// The one owner. Borrow it to read and to write.
  public let descriptor: FileDescriptor

  /// Takes over a descriptor.
  public init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// The number. Valid as long as somebody holds this object. Never close it.
  public var rawValue: CInt { descriptor.rawValue }
}
