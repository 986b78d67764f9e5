public import LinuxSystem

/// Computes the digests of bundles, one after the other with one buffer. Belongs to one thread; make one for each.
///
/// The digest is SHA-256 over the bundle's entries but its top-level `_Signature`, sorted by the bytes of their
/// paths. Each entry gives: its kind (`d`, `f` or `l`), its mode, the length of its path, the path; then for a file
/// its size and the SHA-256 of its content, for a link the length of its target and the target. Modes and lengths
/// are 4 bytes, sizes 8, the highest first.
@safe public final class BundleHasher {
  /// Why there is no digest now.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Somebody has the file open for writing, or it changed meanwhile. Try again later.
    case busy(String)
    case unreadable(String, Errno)
    /// It holds what no digest can cover.
    case unfit(BundleProblem)
    /// What computes digests is not there.
    case unavailable(String)

    public var description: String {
      switch self {
      case .busy(let path): "“\(path)” is being written; close it, or wait until it is whole"
      case .unreadable(let path, let error): "“\(path)” cannot be read: \(error)"
      case .unfit(let problem): problem.message
      case .unavailable(let fault): "no digest can be computed: \(fault)"
      }
    }
  }

  private let hash = SHA256()
  private let content = SHA256()
  /// Page-aligned: the kernel copies into one that is not at three quarters of the speed.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 4096)

  public init() {}

  deinit { unsafe buffer.deallocate() }

  /// Reads every file of the bundle in an open directory.
  public func fingerprint(of directory: CInt) throws(Failure) -> BundleFingerprint {
    if let fault = SHA256.fault { throw .unavailable(fault) }
    let started = WallClock.milliseconds * 1_000_000
    let tree: BundleTree
    let fileSystem: FileSystemKind
    do throws(Errno) {
      fileSystem = try FileSystemKind(of: directory)
      let copy = SharedDescriptor(try File.open(".", .directory, in: directory))
      tree = try BundleTree(walking: copy, signature: false)
    } catch {
      throw .unreadable("", error)
    }
    if let fault = tree.faults.first { throw .unfit(fault.problem) }
    hash.start()
    var records: [FileRecord] = []
    records.reserveCapacity(tree.entries.count)
    for entry in tree.entries {
      var digest: BundleDigest?
      var status = entry.status
      switch entry.status.kind {
      case .directory: header("d", entry)
      case .symbolicLink:
        header("l", entry)
        append(entry.target ?? "")
        content.start()
        content.update(Array((entry.target ?? "").utf8))
        digest = content.finish()
      case .regular:
        let (read, contentDigest) = try file(entry, in: directory)
        header("f", entry)
        hash.update(bigEndian(UInt64(read.size)))
        hash.update(contentDigest.bytes)
        (status, digest) = (read, contentDigest)
      default:
        throw .unfit(
          BundleProblem(.specialFile, "“\(entry.path)” is neither file, directory nor link; remove it"))
      }
      records.append(FileRecord(path: entry.path, status: status, content: digest))
    }
    return BundleFingerprint(
      digest: hash.finish(), fileSystem: fileSystem, started: started, records: records)
  }

  private func header(_ kind: Unicode.Scalar, _ entry: BundleTree.Entry) {
    hash.update([UInt8(ascii: kind)] + bigEndian(entry.status.mode))
    append(entry.path)
  }

  private func append(_ text: String) {
    hash.update(bigEndian(UInt32(text.utf8.count)) + Array(text.utf8))
  }

  private func file(
    _ entry: BundleTree.Entry, in directory: CInt
  ) throws(Failure) -> (status: FileStatus, content: BundleDigest) {
    do throws(Errno) {
      let file = try File.openBeneath(directory, entry.path, .nonBlocking)
      // Whoever maps it shared and writable could change it later, and leave its times as they are.
      if File.writers(of: file.rawValue) == .some { throw .again }
      let before = try FileStatus(of: file.rawValue)
      if before != entry.status { throw .again }
      content.start()
      var size: Int64 = 0
      while true {
        let count = try unsafe file.read(into: buffer)
        if count == 0 { break }
        unsafe content.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        size += Int64(count)
        if size >= before.size, unsafe count < buffer.count { break }
      }
      let after = try FileStatus(of: file.rawValue)
      if size != before.size || after != before { throw .again }
      return (after, content.finish())
    } catch .again {
      throw .busy(entry.path)
    } catch .noEntry {
      throw .busy(entry.path)
    } catch {
      throw .unreadable(entry.path, error)
    }
  }
}

func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  stride(from: Value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
}
