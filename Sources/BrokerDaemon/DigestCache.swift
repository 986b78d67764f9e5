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
    // Nothing is written to one that is whole: each write is synced, and after a large scan may have to move all of it.
    if version == format { return database }
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

  /// What is kept of a bundle, in the form in which it is kept.
  struct Kept {
    let fingerprint: [UInt8]
    /// What was found in the entry when it was hashed; its form is that of `KeptFacts`.
    let facts: [UInt8]?
  }

  func kept(of path: String) -> Kept? {
    let rows = try? database.run(
      "SELECT fingerprint, facts FROM fingerprints WHERE path = ?", [.text(path)]
    ) { Kept(fingerprint: $0.bytes(0), facts: $0.isNull(1) ? nil : $0.bytes(1)) }
    return rows?.first
  }

  /// So much of one bundle is read together with others.
  private static let smallSize: Int64 = 16 << 10

  /// What is kept of all bundles from one path to another one, and inside of that; nil for a large one, of which `kept(of:)`
  /// tells. One call for many, where each by itself would take three times as long.
  func kept(from first: String, through last: String) -> [String: Kept?] {
    let rows = try? database.run(
      """
      SELECT path, CASE WHEN length(fingerprint) + ifnull(length(facts), 0) <= ? THEN fingerprint END, facts
      FROM fingerprints WHERE path >= ? AND path < ?
      """, [.integer(Self.smallSize), .text(first), .text(last + "0")]
    ) { row -> (String, Kept?) in
      let isLarge = row.isNull(1)
      return (
        row.text(0) ?? "",
        isLarge ? nil : Kept(fingerprint: row.bytes(1), facts: row.isNull(2) ? nil : row.bytes(2))
      )
    }
    return Dictionary(rows ?? []) { first, _ in first }
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

  /// One transaction for all that is kept from here to `commit`. What is committed stays in the log until `tidy`, or until
  /// something is kept by itself: people wait for the end of this.
  func begin() {
    // To say it twice would fail, and a failure ends the first one.
    if !database.isInTransaction { try? database.execute("PRAGMA wal_autocheckpoint=0; BEGIN") }
  }

  func commit() {
    if database.isInTransaction { try? database.execute("COMMIT; PRAGMA wal_autocheckpoint=1000") }
  }

  /// Moves what is in the log to its place, which is synced twice for it.
  func tidy() { try? database.execute("PRAGMA wal_checkpoint(PASSIVE)") }

  private func together(_ work: () -> Void) {
    begin()
    work()
    commit()
  }
}
