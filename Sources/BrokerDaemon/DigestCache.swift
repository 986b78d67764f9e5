internal import ExtensionBundles
internal import LinuxSystem

/// Fingerprints of bundles, what was found in them, and verdicts about their signatures, kept from one broker to the next, so
/// that only what has changed is read, hashed and verified again.
///
/// Without it everything works, more slowly: whatever goes wrong here, the answer is "not known". It is no defence: who
/// can write to it can write to the decisions as well. For one thread at a time.
final class DigestCache {
  /// A file of another format is made anew.
  private static let format: Int64 = 2
  private let database: Database

  /// nil, and a warning, where it cannot be used.
  init?(path: String, warn: (String) -> Void) {
    do throws(Database.Failure) {
      database = try Self.open(path)
    } catch {
      // Damaged, or of another format: nothing in it is worth keeping.
      for file in [path, path + "-wal", path + "-shm"] { try? File.remove(file) }
      do throws(Database.Failure) {
        database = try Self.open(path)
      } catch {
        warn("bundles are hashed again at each start: \(error)")
        return nil
      }
    }
  }

  private static func open(_ path: String) throws(Database.Failure) -> Database {
    let database = try Database(path: path)
    try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
    let version = try database.userVersion
    guard version == 0 || version == format else {
      throw Database.Failure(description: "\(path) has another format")
    }
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS fingerprints (
        path TEXT PRIMARY KEY, fingerprint BLOB NOT NULL, facts BLOB) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS signatures (key BLOB PRIMARY KEY, good INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      PRAGMA user_version=\(format);
      """)
    return database
  }

  func fingerprint(of path: String) -> BundleFingerprint? {
    let rows = try? database.run(
      "SELECT fingerprint FROM fingerprints WHERE path = ?", [.text(path)]
    ) { $0.bytes(0) }
    return rows?.first.flatMap(BundleFingerprint.init(decoding:))
  }

  /// With what was found in the entry when it was hashed; its form is that of `KeptFacts`.
  func found(in path: String) -> (fingerprint: BundleFingerprint, facts: [UInt8])? {
    let rows = try? database.run(
      "SELECT fingerprint, facts FROM fingerprints WHERE path = ? AND facts IS NOT NULL", [.text(path)]
    ) { ($0.bytes(0), $0.bytes(1)) }
    guard let row = rows?.first, let fingerprint = BundleFingerprint(decoding: row.0) else { return nil }
    return (fingerprint, row.1)
  }

  /// What was found before belongs to another content, and goes.
  func keep(_ fingerprint: BundleFingerprint, facts: [UInt8]? = nil, of path: String) {
    try? database.run(
      "INSERT OR REPLACE INTO fingerprints VALUES (?, ?, ?)",
      [.text(path), .bytes(fingerprint.encoded()), .bytes(facts)])
  }

  func forget(_ path: String) {
    try? database.run("DELETE FROM fingerprints WHERE path = ?", [.text(path)])
  }

  /// After much was looked up or kept.
  func releaseMemory() { database.releaseMemory() }

  /// Forgets what is not among these.
  func keepOnly(_ isKept: (String) -> Bool) {
    let paths = (try? database.run("SELECT path FROM fingerprints") { $0.text(0) ?? "" }) ?? []
    together { for path in paths where !isKept(path) { forget(path) } }
  }

  // MARK: Signatures

  func verdict(of key: BundleDigest) -> Bool? {
    let rows = try? database.run("SELECT good FROM signatures WHERE key = ?", [.bytes(key.bytes)]) {
      $0.integer(0)
    }
    return rows?.first.map { $0 == 1 }
  }

  func keep(_ isGood: Bool, of key: BundleDigest) {
    try? database.run(
      "INSERT OR REPLACE INTO signatures VALUES (?, ?)", [.bytes(key.bytes), .integer(isGood ? 1 : 0)])
  }

  /// Forgets those with other keys.
  func keepOnlyVerdicts(_ isKept: (BundleDigest) -> Bool) {
    let keys = (try? database.run("SELECT key FROM signatures") { $0.bytes(0) }) ?? []
    together {
      for key in keys where BundleDigest(bytes: key).map(isKept) != true {
        try? database.run("DELETE FROM signatures WHERE key = ?", [.bytes(key)])
      }
    }
  }

  /// One transaction for all that is kept meanwhile.
  func together<Result>(_ work: () -> Result) -> Result {
    try? database.execute("BEGIN")
    defer { try? database.execute("COMMIT") }
    return work()
  }
}
