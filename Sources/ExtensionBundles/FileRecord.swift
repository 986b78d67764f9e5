package import LinuxSystem

/// What a file of a bundle was when it was hashed.
public struct FileRecord: Hashable, Sendable {
  /// Relative to the bundle; empty for the bundle itself.
  public let path: String
  package let kind: FileStatus.Kind
  public let mode: UInt32
  public let userID: UInt32
  public let linkCount: UInt64
  public let inode: UInt64
  public let size: Int64
  public let modified: Int64
  public let changed: Int64
  /// Of what a regular file holds, or of a link's target.
  public let content: BundleDigest?

  init(path: String, status: FileStatus, content: BundleDigest?) {
    self.init(
      path: path, kind: status.kind, mode: status.mode, userID: status.userID, linkCount: status.linkCount,
      inode: status.inode, size: status.size, modified: status.modified, changed: status.changed,
      content: content)
  }

  init(
    path: String, kind: FileStatus.Kind, mode: UInt32, userID: UInt32, linkCount: UInt64, inode: UInt64,
    size: Int64, modified: Int64, changed: Int64, content: BundleDigest?
  ) {
    self.path = path
    self.kind = kind
    self.mode = mode
    self.userID = userID
    self.linkCount = linkCount
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
    self.content = content
  }

  func matches(_ status: FileStatus?) -> Bool {
    guard let status else { return false }
    return status.changed == changed && status.inode == inode && status.size == size
      && status.modified == modified
      && status.kind == kind && status.mode == mode && status.userID == userID
      && status.linkCount == linkCount
  }

  /// Whether it is unchanged, and nobody can change it unseen now.
  func isUnwritten(in directory: CInt) -> Bool {
    guard let file = try? File.openBeneath(directory, path, .nonBlocking),
      File.writers(of: file.rawValue) != .some
    else { return false }
    return matches(try? FileStatus(of: file.rawValue))
  }

  /// Whether a person would see no difference: a copy has it too.
  func hasSameContent(as other: FileRecord) -> Bool {
    kind == other.kind && mode == other.mode && content == other.content
  }
}
