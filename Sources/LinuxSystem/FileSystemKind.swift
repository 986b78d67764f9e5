internal import CLinux

/// What kind of file system a file is on, and which one: statfs(2).
@usableFromInline package struct FileSystemKind: Hashable, Sendable {
  /// The number by which linux/magic.h knows the kind.
  package let magic: UInt32
  /// Tells one file system from another; stays the same over reboots on most kinds.
  package let identifier: UInt64

  package init(magic: UInt32, identifier: UInt64) {
    self.magic = magic
    self.identifier = identifier
  }

  package init(of descriptor: CInt) throws(Errno) {
    var status = statfs()
    try check { unsafe fstatfs(descriptor, &status) }
    magic = UInt32(truncatingIfNeeded: status.f_type)
    let parts = status.f_fsid.__val
    identifier = UInt64(UInt32(bitPattern: parts.0)) | UInt64(UInt32(bitPattern: parts.1)) << 32
  }

  package var name: String { Self.names[magic] ?? "unknown (0x\(String(magic, radix: 16)))" }

  /// Whether inotify tells of every change: not where another machine or process can make one.
  package var reportsEvents: Bool { !Self.silent.contains(magic) }

  /// Whether the kernel alone sets change times, so that an equal stat means something.
  package var keepsChangeTimes: Bool { Self.local.contains(magic) }

  private static let names: [UInt32: String] = [
    0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0xF2F5_2010: "f2fs", 0x0102_1994: "tmpfs",
    0x794C_7630: "overlayfs", 0x6969: "nfs", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x517B: "smb",
    0x6573_5546: "fuse", 0x0102_1997: "9p", 0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6B41_4653: "kafs",
    0x7375_7245: "coda", 0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x0BD0_0BD0: "lustre",
    0x786F_4256: "vboxsf",
  ]
  private static let silent: Set<UInt32> = [
    0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653,
    0x7375_7245, 0x0116_1970, 0x7461_636F, 0x0BD0_0BD0, 0x786F_4256,
  ]
  private static let local: Set<UInt32> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994, 0x794C_7630,
  ]
}
