internal import BrokerCore

/// The person's decisions in SQLite, for good: written with full synchronisation before anybody is told.
/// For one thread at a time.
final class DecisionStore: @unchecked Sendable {
  // Sendable by use: after `init` only the worker's thread calls it.

  typealias Failure = Database.Failure

  static let schemaVersion: Int64 = 2
  let database: Database

  init(path: String) throws(Failure) {
    database = try Database(path: path)
    try database.execute("PRAGMA journal_mode=DELETE")
    try database.execute("PRAGMA synchronous=EXTRA")
    let version = try database.userVersion
    guard version <= Self.schemaVersion else {
      throw Failure(
        description:
          "\(path) was written by a newer version (format \(version), this one knows \(Self.schemaVersion)); install that version again, or move the file away to start without decisions"
      )
    }
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS absence (
        identifier TEXT PRIMARY KEY, since INTEGER NOT NULL, lasted INTEGER NOT NULL) STRICT
      """)
    if version == 0 {
      try database.execute(
        """
        BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS history (
          number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT NOT NULL, verdict TEXT NOT NULL, digest TEXT,
          entitlements TEXT NOT NULL, rootOwned INTEGER NOT NULL, time INTEGER NOT NULL, peer TEXT NOT NULL,
          publisher TEXT, version TEXT, path TEXT) STRICT;
        CREATE INDEX IF NOT EXISTS history_identifier ON history (identifier, number);
        PRAGMA user_version=\(Self.schemaVersion);
        COMMIT;
        """)
    } else if version == 1 {
      try database.execute(
        """
        BEGIN IMMEDIATE;
        ALTER TABLE history ADD COLUMN publisher TEXT;
        ALTER TABLE history ADD COLUMN version TEXT;
        ALTER TABLE history ADD COLUMN path TEXT;
        PRAGMA user_version=\(Self.schemaVersion);
        COMMIT;
        """)
    }
  }

  private static let columns =
    "identifier, verdict, digest, entitlements, rootOwned, time, peer, publisher, version, path"

  /// The newest decision about each identifier.
  func current() throws(Failure) -> [Decision] {
    try database.run(
      """
      SELECT \(Self.columns) FROM history
      WHERE number IN (SELECT max(number) FROM history GROUP BY identifier)
      """, row: Self.decision)
  }

  /// All decisions about one identifier, or all, newest first; at most 1,000.
  func history(of identifier: String?) throws(Failure) -> [Decision] {
    try database.run(
      """
      SELECT \(Self.columns) FROM history
      WHERE ?1 IS NULL OR identifier = ?1 ORDER BY number DESC LIMIT 1000
      """, [.text(identifier)], row: Self.decision)
  }

  /// Returns when all are on the disk; where it throws, none is.
  func add(_ decisions: [Decision]) throws(Failure) {
    try database.execute("BEGIN IMMEDIATE")
    for decision in decisions { try add(decision) }
    try database.execute("COMMIT")
  }

  /// Returns when the decision is on the disk.
  func add(_ decision: Decision) throws(Failure) {
    try database.run(
      "INSERT INTO history (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?)",
      [
        .text(decision.identifier), .text(decision.verdict.rawValue), .text(decision.digest),
        .text(decision.entitlements.joined(separator: "\n")), .integer(decision.rootOwned ? 1 : 0),
        .integer(decision.time), .text(decision.peer), .text(decision.publisher), .text(decision.version),
        .text(decision.path),
      ])
  }

  private static func decision(_ row: Database.Columns) -> Decision {
    Decision(
      identifier: row.text(0) ?? "", verdict: Decision.Verdict(rawValue: row.text(1) ?? "") ?? .reset,
      digest: row.text(2), entitlements: (row.text(3) ?? "").split(separator: "\n").map(String.init),
      rootOwned: row.integer(4) != 0, publisher: row.text(7), version: row.text(8), path: row.text(9),
      time: row.integer(5), peer: row.text(6) ?? "")
  }
}
