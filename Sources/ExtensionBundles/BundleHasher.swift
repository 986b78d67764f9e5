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
  private var text: [UInt8] = []
  /// Page-aligned: the kernel copies into one that is not at three quarters of the speed.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 4096)

  public init() {}

  deinit { unsafe buffer.deallocate() }

  /// Reads every file of the bundle in an open directory.
  public func fingerprint(of directory: CInt) throws(Failure) -> BundleFingerprint {
    let tree: BundleTree
    do throws(Errno) {
      tree = try BundleTree(walking: SharedDescriptor(try File.open(".", .directory, in: directory)))
    } catch {
      throw .unreadable("", error)
    }
    return try fingerprint(of: tree)
  }

  /// Reads every file that was not read since the bundle was walked.
  package func fingerprint(of tree: BundleTree) throws(Failure) -> BundleFingerprint {
    if let fault = SHA256.fault { throw .unavailable(fault) }
    let fileSystem: FileSystemKind
    do throws(Errno) { fileSystem = try FileSystemKind(of: tree.whole.rawValue) } catch {
      throw .unreadable("", error)
    }
    // A file of that name belongs to the bundle.
    let isSigned = tree.entry(BundleTree.signature)?.status.kind == .directory
    func isInSignature(_ path: String) -> Bool {
      isSigned && (path == BundleTree.signature || path.utf8.starts(with: Self.signaturePrefix))
    }
    if let fault = tree.faults.first(where: { !isInSignature($0.path) }) { throw .unfit(fault.problem) }
    hash.start()
    text.removeAll(keepingCapacity: true)
    var records: [FileRecord] = []
    records.reserveCapacity(tree.entries.count)
    for entry in tree.entries where !isInSignature(entry.path) {
      var digest: BundleDigest?
      switch entry.status.kind {
      case .directory: header("d", entry)
      case .symbolicLink:
        header("l", entry)
        append(entry.target ?? "")
        content.start()
        content.update(Array((entry.target ?? "").utf8))
        digest = content.finish()
      case .regular:
        let content = try file(entry, of: tree)
        header("f", entry)
        append(UInt64(entry.status.size))
        text += content.bytes
        digest = content
      default:
        throw .unfit(
          BundleProblem(.specialFile, "“\(entry.path)” is neither file, directory nor link; remove it"))
      }
      records.append(FileRecord(path: entry.path, status: entry.status, content: digest))
      if text.count >= Self.enough { flush() }
    }
    flush()
    return BundleFingerprint(
      digest: hash.finish(), fileSystem: fileSystem, started: tree.started, records: records)
  }

  private static let signaturePrefix = Array((BundleTree.signature + "/").utf8)
  /// So much of what is hashed is put together first.
  private static let enough = 16 << 10

  private func flush() {
    hash.update(text)
    text.removeAll(keepingCapacity: true)
  }

  private func header(_ kind: Unicode.Scalar, _ entry: BundleTree.Entry) {
    text.append(UInt8(ascii: kind))
    append(entry.status.mode)
    append(entry.path)
  }

  private func append(_ part: String) {
    append(UInt32(part.utf8.count))
    text += part.utf8
  }

  /// The highest byte first.
  private func append<Value: FixedWidthInteger>(_ value: Value) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe text += $0 }
  }

  private func file(_ entry: BundleTree.Entry, of tree: BundleTree) throws(Failure) -> BundleDigest {
    let path = tree.prefix + entry.path
    if let digest = tree.contents?.digest(of: path, entry.status) { return digest }
    do throws(Errno) {
      return try unsafe digest(of: path, entry.status, in: tree.whole.rawValue)
    } catch .again {
      throw .busy(entry.path)
    } catch .noEntry {
      throw .busy(entry.path)
    } catch {
      throw .unreadable(entry.path, error)
    }
  }

  /// That of a file which is still what it was when the bundle was walked; throws `again` where it is not, or somebody
  /// writes to it. `first` is given as much of it as fits into the buffer.
  func digest(
    of path: String, _ status: FileStatus, in directory: CInt,
    first: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws(Errno) -> BundleDigest {
    let file = try File.openBeneath(directory, path, .nonBlocking)
    // Whoever maps it shared and writable could change it later, and leave its times as they are.
    if File.writers(of: file.rawValue) == .some { throw .again }
    if try FileStatus(of: file.rawValue) != status { throw .again }
    content.start()
    var size: Int64 = 0
    while true {
      let count = try unsafe file.read(into: buffer)
      let part = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if size == 0 { unsafe first(part) }
      if count == 0 { break }
      unsafe content.update(part)
      size += Int64(count)
      if size >= status.size, unsafe count < buffer.count { break }
    }
    if size != status.size { throw .again }
    if try FileStatus(of: file.rawValue) != status { throw .again }
    return content.finish()
  }
}

func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  stride(from: Value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
}
