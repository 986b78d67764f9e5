package import LinuxSystem

/// What a file of a bundle was when it was hashed.
public struct FileRecord: Hashable, Sendable {
  /// Relative to the bundle; empty for the bundle itself.
  public let path: String
  package let status: Status
  /// Of what a regular file holds, or of a link's target.
  public let content: BundleDigest?

  /// What stat(2) said of it, as far as that stays the same over a reboot.
  package struct Status: Hashable, Sendable {
    package let kind: FileStatus.Kind
    package let mode: UInt32
    package let userID: UInt32
    package let linkCount: UInt64
    package let inode: UInt64
    package let size: Int64
    package let modified: Int64
    package let changed: Int64

    func matches(_ status: FileStatus?) -> Bool {
      guard let status else { return false }
      return status.changed == changed && status.inode == inode && status.size == size
        && status.modified == modified
        && status.kind == kind && status.mode == mode && status.userID == userID
        && status.linkCount == linkCount
    }
  }

  package var kind: FileStatus.Kind { status.kind }

  init(path: String, status: FileStatus, content: BundleDigest?) {
    self.init(
      path: path,
      status: Status(
        kind: status.kind, mode: status.mode, userID: status.userID, linkCount: status.linkCount,
        inode: status.inode, size: status.size, modified: status.modified, changed: status.changed),
      content: content)
  }

  init(path: String, status: Status, content: BundleDigest?) {
    self.path = path
    self.status = status
    self.content = content
  }

  func matches(_ status: FileStatus?) -> Bool { self.status.matches(status) }

  /// Whether it is unchanged, and nobody can change it unseen now.
  func isUnwritten(in directory: CInt) -> Bool {
    guard let file = try? File.openBeneath(directory, path, .nonBlocking),
      File.writers(of: file.rawValue) != .some
    else { return false }
    return matches(try? FileStatus(of: file.rawValue))
  }

  /// Whether a person would see no difference: a copy has it too.
  func hasSameContent(as other: FileRecord) -> Bool {
    kind == other.kind && status.mode == other.status.mode && content == other.content
  }
}
