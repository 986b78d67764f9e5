internal import CLinux

/// What a file takes up on its file system: stat(2).
package struct FileUsage: Sendable {
  package let kind: FileStatus.Kind
  /// Bytes on the disk: what a sparse file does not have does not count.
  package let bytes: Int64
  package let linkCount: UInt64

  /// That of what has a name of any bytes in `directory`, with a zero behind it. Links are not followed.
  package init(at name: [CChar], in directory: CInt) throws(Errno) {
    var status = stat()
    try check { unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) }
    kind = FileStatus.Kind(ofMode: status.st_mode)
    bytes = Int64(status.st_blocks) * 512
    linkCount = UInt64(status.st_nlink)
  }
}
