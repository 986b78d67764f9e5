internal import LinuxSystem

/// What an extension's container holds. A hostile extension made it, so the walk ends where a bound is passed.
struct ContainerSize: Sendable {
  /// Deeper directories than programs make.
  private static let depthLimit = 128

  private(set) var bytes = 0
  private(set) var files = 0
  /// A directory that cannot be read, or lies too deep: anything may be in there.
  private(set) var isHidden = false

  /// Walks through the directory at `path`; nothing is counted past these bounds. For a worker.
  init(of path: String, bytes byteLimit: Int, files fileLimit: Int) {
    guard let root = try? File.open(path, [.directory, .noFollow]) else { return }
    var waiting: [(parent: SharedDescriptor, name: [CChar], depth: Int)] = [
      (SharedDescriptor(root), [0x2E, 0], 0)
    ]
    while let (parent, name, depth) = waiting.popLast() {
      guard depth <= Self.depthLimit,
        let opened = try? File.open(name, [.directory, .noFollow], in: parent.rawValue)
      else {
        // It may have been removed meanwhile.
        isHidden = isHidden || (try? FileUsage(at: name, in: parent.rawValue)) != nil
        continue
      }
      let directory = SharedDescriptor(opened)
      // One with millions of names would take long to read: a directory's size grows with them, by 300 bytes at most.
      if let size = (try? FileStatus(of: directory.rawValue))?.size, size / 300 > fileLimit {
        files = fileLimit + 1
        return
      }
      try? DirectoryReader.each(of: directory.rawValue) { name, _ in
        files += 1
        if files > fileLimit || bytes > byteLimit || isHidden { return false }
        guard let usage = try? FileUsage(at: name, in: directory.rawValue) else { return true }
        if usage.kind == .directory {
          bytes += Int(usage.bytes)
          waiting.append((directory, name, depth + 1))
        } else {
          // All its names are in here: a link cannot lead out of a mount.
          bytes += Int(usage.bytes) / Int(max(1, usage.linkCount))
        }
        return true
      }
      if files > fileLimit || bytes > byteLimit || isHidden { return }
    }
  }
}
