internal import CLinux

/// A file in memory, without a name, that nobody can change: memfd_create(2).
package enum MemoryFile {
  /// Holds `bytes`; a reader begins at the first of them.
  package static func make(_ name: String, holding bytes: [UInt8]) throws(Errno) -> FileDescriptor {
    let file = try checkDescriptor { unsafe name.withCString { unsafe clinux_memfd($0) } }
    let raw = file.rawValue
    var done = 0
    while done < bytes.count {
      let from = done
      // Not write(2), which would leave the position at the end.
      done += try check {
        unsafe bytes.withUnsafeBytes { buffer in
          guard let base = buffer.baseAddress else { return 0 }
          return unsafe pwrite(raw, base + from, buffer.count - from, off_t(from))
        }
      }
    }
    try check { clinux_seal(raw) }
    return file
  }
}
