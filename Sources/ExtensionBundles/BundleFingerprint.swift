package import LinuxSystem

/// A bundle's digest, with what tells cheaply that it still holds.
///
/// The stat values are a check of a cache, no defence: whoever runs as the same user and means harm can write after
/// any check. docs/security.md says what is left.
public struct BundleFingerprint: Hashable, Sendable {
  public let digest: BundleDigest
  package let fileSystem: FileSystemKind
  /// When the hashing started: nanoseconds since 1970.
  public let started: Int64
  /// Every file, directory and link, sorted by the bytes of the path. The first is the bundle itself.
  public let records: [FileRecord]

  /// The clock of file times moves in steps of up to 10 ms: a write that soon before the hashing
  /// could be followed by another one with the same time.
  static let racyInterval: Int64 = 20_000_000

  /// Whether nothing has changed since. false may also mean that it cannot be told: hash again then.
  ///
  /// `probingWriters` also opens each file and asks whether somebody can write it unseen. Do so before a launch.
  public func isCurrent(bundle directory: CInt, probingWriters: Bool = false) -> Bool {
    guard fileSystem.keepsChangeTimes, let now = try? FileSystemKind(of: directory), now == fileSystem else {
      return false
    }
    guard isSettled(before: started) else { return false }
    return records.allSatisfy { record in
      if probingWriters, record.kind == .regular { return record.isUnwritten(in: directory) }
      return record.path.isEmpty
        ? record.matches(try? FileStatus(of: directory))
        : record.matches(try? FileStatus(at: record.path, in: directory))
    }
  }

  /// Whether what was read since a moment (nanoseconds since 1970) is what was hashed.
  package func covers(readingSince moment: Int64) -> Bool {
    fileSystem.keepsChangeTimes && isSettled(before: moment)
  }

  /// Whether nothing was changed after a moment, nor so shortly before that its time would not tell of another change.
  private func isSettled(before moment: Int64) -> Bool {
    let settled = moment - Self.racyInterval
    return records.allSatisfy { $0.status.changed < settled && $0.status.modified < settled }
  }

  /// What differs from an earlier one: paths, sorted.
  public func changes(since earlier: BundleFingerprint) -> [Change] {
    var before: [String: FileRecord] = [:]
    for record in earlier.records { before[record.path] = record }
    var changes: [Change] = []
    for record in records {
      guard let old = before.removeValue(forKey: record.path) else {
        changes.append(Change(path: record.path, kind: .added))
        continue
      }
      if !record.hasSameContent(as: old) { changes.append(Change(path: record.path, kind: .changed)) }
    }
    changes += before.keys.map { Change(path: $0, kind: .removed) }
    return changes.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  public struct Change: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable { case added, removed, changed }
    public let path: String
    public let kind: Kind
  }
}
