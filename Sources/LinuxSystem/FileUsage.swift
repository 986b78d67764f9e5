internal import CLinux

/// What a file takes up on its file system: stat(2).
package struct FileUsage: Sendable {
  package let kind: FileStatus.Kind
  /// Bytes on the disk: what a sparse file does not have does not count.
  package let bytes: Int64
  package let linkCount: UInt64

  /// That of what is at `path`, relative to `directory`. Links are not followed.
  package init(at path: String, in directory: CInt) throws(Errno) {
    kind = try FileStatus(at: path, in: directory).kind
    var status = stat()
    try check {
      unsafe path.withCString { unsafe fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) }
    }
    bytes = Int64(status.st_blocks) * 512
    linkCount = UInt64(status.st_nlink)
  }
}
