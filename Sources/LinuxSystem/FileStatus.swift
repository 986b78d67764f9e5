internal import CLinux

/// What stat(2) says about a file. Times are nanoseconds since 1970.
@usableFromInline package struct FileStatus: Hashable, Sendable {
  @usableFromInline package enum Kind: UInt8, Sendable {
    case unknown, regular, directory, symbolicLink, fifo, socket, characterDevice, blockDevice

    init(ofMode mode: mode_t) {
      self =
        switch mode & 0o170_000 {
        case 0o100_000: .regular
        case 0o040_000: .directory
        case 0o120_000: .symbolicLink
        case 0o010_000: .fifo
        case 0o140_000: .socket
        case 0o020_000: .characterDevice
        case 0o060_000: .blockDevice
        default: .unknown
        }
    }
  }

  package let kind: Kind
  /// The permission bits, with set-user-id, set-group-id and sticky.
  package let mode: UInt32
  package let userID: UInt32
  package let groupID: UInt32
  package let device: UInt64
  package let inode: UInt64
  package let linkCount: UInt64
  package let size: Int64
  package let modified: Int64
  package let changed: Int64

  /// That of an open file.
  package init(of descriptor: CInt) throws(Errno) {
    var status = stat()
    try check { unsafe fstat(descriptor, &status) }
    self.init(status)
  }

  /// That of what is at `path`, relative to `directory` if it is given.
  @usableFromInline package init(at path: String, in directory: CInt? = nil, followLinks: Bool = false)
    throws(Errno)
  {
    var status = stat()
    try check {
      unsafe path.withCString {
        unsafe fstatat(directory ?? AT_FDCWD, $0, &status, followLinks ? 0 : AT_SYMLINK_NOFOLLOW)
      }
    }
    self.init(status)
  }

  /// That of what is at `path`, the bytes of a path with a zero behind it.
  package init(at path: [UInt8], in directory: CInt) throws(Errno) {
    var status = stat()
    precondition(path.last == 0, "a path has no end")
    try check {
      unsafe path.withUnsafeBytes { bytes -> CInt in
        guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
        return unsafe fstatat(directory, start, &status, AT_SYMLINK_NOFOLLOW)
      }
    }
    self.init(status)
  }

  private init(_ status: stat) {
    kind = Kind(ofMode: status.st_mode)
    mode = status.st_mode & 0o7777
    userID = status.st_uid
    groupID = status.st_gid
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    linkCount = UInt64(status.st_nlink)
    size = Int64(status.st_size)
    modified = nanoseconds(status.st_mtim)
    changed = nanoseconds(status.st_ctim)
  }

  /// Whether someone beside the owner may write. A symbolic link's own bits mean nothing.
  @usableFromInline package var isWritableByOthers: Bool { kind != .symbolicLink && mode & 0o022 != 0 }

  /// Whether only root can change it.
  package var isRootOwned: Bool { userID == 0 && !isWritableByOthers }
}

private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

/// The effective user of this process.
package var effectiveUserID: UInt32 { geteuid() }
