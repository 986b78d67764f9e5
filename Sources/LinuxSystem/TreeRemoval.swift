internal import CLinux

extension File {
  /// Removes a file, or a directory with all that is in it. Throws `timedOut` when it takes longer than `limit`; the
  /// next time goes on where this one has ended.
  package static func removeTree(_ path: String, within limit: Duration? = nil) throws(Errno) {
    guard try FileStatus(at: path).kind == .directory else { return try remove(path) }
    var removal = try TreeRemoval(of: path, deadline: limit.map { MonotonicTime.now + $0 })
    try removal.run()
    try removeDirectory(path)
  }
}

/// Empties a directory that a hostile program may have filled: names are bytes, paths may be longer than the kernel takes,
/// and nobody may have the right to look.
///
/// It goes down by names and up by `..`. So three descriptors are enough, and of each level it keeps but a number.
private struct TreeRemoval {
  private struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64

    init(of directory: SharedDescriptor) throws(Errno) {
      let status = try FileStatus(of: directory.rawValue)
      (device, inode) = (status.device, status.inode)
    }
  }

  private let top: SharedDescriptor
  private let deadline: MonotonicTime?
  private var current: SharedDescriptor
  /// The directories above the current one, the top first.
  private var above: [Identity] = []

  init(of path: String, deadline: MonotonicTime?) throws(Errno) {
    top = try Self.open(Array(path.utf8CString), in: AT_FDCWD)
    current = top
    self.deadline = deadline
  }

  mutating func run() throws(Errno) {
    while true {
      switch try clear() {
      case .inner(let name): try enter(name)
      // Some file systems leave names out while others go. Those below are looked at again from above.
      case .cleared where above.isEmpty: continue
      case .empty where above.isEmpty: return
      case .cleared, .empty: try leave()
      }
    }
  }

  private enum Found {
    /// A directory that has to be emptied first.
    case inner([CChar])
    /// Something that is gone now.
    case cleared
    case empty
  }

  private func clear() throws(Errno) -> Found {
    var found = Found.empty
    try DirectoryReader.each(of: current.rawValue) { name, kind throws(Errno) in
      if let deadline, deadline < .now { throw .timedOut }
      let isGone = try remove(name, kind)
      found = isGone ? .cleared : .inner(name)
      return isGone
    }
    return found
  }

  /// false: it is a directory with something in it.
  private func remove(_ name: [CChar], _ kind: FileStatus.Kind) throws(Errno) -> Bool {
    let directory = current.rawValue
    do throws(Errno) {
      if kind != .directory {
        do throws(Errno) {
          try check { unsafe unlinkat(directory, name, 0) }
          return true
        } catch .isDirectory {}
      }
      try check { unsafe unlinkat(directory, name, AT_REMOVEDIR) }
    } catch {
      switch error {
      case .notEmpty, .exists: return false
      // Somebody else was faster, or has put something else there: that is seen the next time.
      case .noEntry, .notDirectory: return true
      default: throw error
      }
    }
    return true
  }

  private mutating func enter(_ name: [CChar]) throws(Errno) {
    let inner: SharedDescriptor
    do throws(Errno) { inner = try Self.open(name, in: current.rawValue) } catch {
      // As above.
      if [.noEntry, .notDirectory, .loop].contains(error) { return }
      throw error
    }
    above.append(try Identity(of: current))
    current = inner
  }

  private mutating func leave() throws(Errno) {
    let parent = try Self.open("..".utf8CString.map(\.self), in: current.rawValue)
    // What somebody moves meanwhile leads elsewhere, where nothing may be removed.
    if try Identity(of: parent) == above.removeLast() {
      current = parent
    } else {
      (above, current) = ([], top)
    }
  }

  /// Opens a directory. Its owner may have no right to read or to change it, and gives it to himself.
  private static func open(_ name: [CChar], in parent: CInt) throws(Errno) -> SharedDescriptor {
    let flags: File.Flags = [.directory, .noFollow]
    var directory: SharedDescriptor
    do throws(Errno) {
      directory = SharedDescriptor(try File.open(name, flags, in: parent))
    } catch .permission {
      let handle = SharedDescriptor(try File.open(name, [flags, .path], in: parent))
      try check { unsafe chmod("/proc/self/fd/\(handle.rawValue)", 0o700) }
      directory = SharedDescriptor(try File.open(name, flags, in: parent))
    }
    if try FileStatus(of: directory.rawValue).mode & 0o700 != 0o700 { _ = fchmod(directory.rawValue, 0o700) }
    return directory
  }
}
