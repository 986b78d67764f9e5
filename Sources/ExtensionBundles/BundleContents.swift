internal import LinuxSystem

/// What was read of a bundle's files while it was looked at, so that no small file is opened again for its digest.
package final class BundleContents {
  /// Of a larger one only the beginning may be wanted, and perhaps no digest at all.
  private static let maximumSize: Int64 = 64 << 10

  private let hasher: BundleHasher
  private var digests: [String: (status: FileStatus, digest: BundleDigest)] = [:]

  package init(_ hasher: BundleHasher) { self.hasher = hasher }

  /// `path`: in the open directory. nil where the file is not, or no longer, as it was when the bundle was walked.
  func beginning(of path: String, _ status: FileStatus, in directory: CInt, _ count: Int) -> [UInt8]? {
    guard status.kind == .regular, status.size <= Self.maximumSize else { return nil }
    var bytes: [UInt8] = []
    do throws(Errno) {
      let digest = try unsafe hasher.digest(of: path, status, in: directory) { first in
        bytes = unsafe Array(first.prefix(count))
      }
      guard bytes.count == min(count, Int(status.size)) else { return nil }
      digests[path] = (status, digest)
      return bytes
    } catch {
      return nil
    }
  }

  /// That of a file that was read, and has been as it is now then.
  func digest(of path: String, _ status: FileStatus) -> BundleDigest? {
    guard let kept = digests[path], kept.status == status else { return nil }
    return kept.digest
  }
}
