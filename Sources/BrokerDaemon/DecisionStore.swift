internal import BrokerCore
internal import CSQLite
internal import LinuxSystem

/// The person's decisions in SQLite, for good: written with full synchronisation before anybody is told.
/// For one thread at a time.
@safe final class DecisionStore: @unchecked Sendable {
  // Sendable by use: after `init` only the worker's thread calls it.

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let schemaVersion: Int32 = 1
  private let database: OpaquePointer
  private let path: String

  init(path: String) throws(Failure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let result = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard result == SQLITE_OK, let handle = unsafe handle else {
      let message = unsafe String(cString: sqlite3_errstr(result))
      unsafe sqlite3_close_v2(handle)
      throw Failure(description: "cannot open \(path): \(message)")
    }
    unsafe database = handle
    self.path = path
    unsafe sqlite3_busy_timeout(database, 2000)
    try execute("PRAGMA journal_mode=DELETE")
    try execute("PRAGMA synchronous=FULL")
    let version = try userVersion()
    guard version <= Self.schemaVersion else {
      throw Failure(
        description:
          "\(path) was written by a newer version (format \(version), this one knows \(Self.schemaVersion)); install that version again, or move the file away to start without decisions"
      )
    }
    if version == 0 {
      try execute(
        """
        BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS history (
          number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT NOT NULL, verdict TEXT NOT NULL, digest TEXT,
          entitlements TEXT NOT NULL, rootOwned INTEGER NOT NULL, time INTEGER NOT NULL, peer TEXT NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS history_identifier ON history (identifier, number);
        PRAGMA user_version=\(Self.schemaVersion);
        COMMIT;
        """)
    }
  }

  deinit { unsafe sqlite3_close_v2(database) }

  /// The newest decision about each identifier.
  func current() throws(Failure) -> [Decision] {
    try read(
      """
      SELECT identifier, verdict, digest, entitlements, rootOwned, time, peer FROM history
      WHERE number IN (SELECT max(number) FROM history GROUP BY identifier)
      """)
  }

  /// All decisions about one identifier, or all, newest first; at most 1,000.
  func history(of identifier: String?) throws(Failure) -> [Decision] {
    try read(
      """
      SELECT identifier, verdict, digest, entitlements, rootOwned, time, peer FROM history
      WHERE ?1 IS NULL OR identifier = ?1 ORDER BY number DESC LIMIT 1000
      """, identifier)
  }

  /// Returns when the decision is on the disk.
  func add(_ decision: Decision) throws(Failure) {
    let statement = try unsafe prepare(
      "INSERT INTO history (identifier, verdict, digest, entitlements, rootOwned, time, peer) VALUES (?,?,?,?,?,?,?)"
    )
    defer { unsafe sqlite3_finalize(statement) }
    unsafe bind(statement, 1, decision.identifier)
    unsafe bind(statement, 2, decision.verdict.rawValue)
    unsafe bind(statement, 3, decision.digest)
    unsafe bind(statement, 4, decision.entitlements.joined(separator: "\n"))
    unsafe sqlite3_bind_int64(statement, 5, decision.rootOwned ? 1 : 0)
    unsafe sqlite3_bind_int64(statement, 6, decision.time)
    unsafe bind(statement, 7, decision.peer)
    guard unsafe sqlite3_step(statement) == SQLITE_DONE else { throw failure("cannot write to") }
  }

  // MARK: SQLite

  private func read(_ sql: String, _ parameter: String?? = .none) throws(Failure) -> [Decision] {
    let statement = try unsafe prepare(sql)
    defer { unsafe sqlite3_finalize(statement) }
    if let parameter { unsafe bind(statement, 1, parameter) }
    var decisions: [Decision] = []
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW:
        let entitlements = unsafe text(statement, 3) ?? ""
        decisions.append(
          Decision(
            identifier: unsafe text(statement, 0) ?? "",
            verdict: unsafe Decision.Verdict(rawValue: text(statement, 1) ?? "") ?? .reset,
            digest: unsafe text(statement, 2),
            entitlements: entitlements.split(separator: "\n").map(String.init),
            rootOwned: unsafe sqlite3_column_int64(statement, 4) != 0,
            time: unsafe sqlite3_column_int64(statement, 5), peer: unsafe text(statement, 6) ?? ""))
      case SQLITE_DONE: return decisions
      default: throw failure("cannot read")
      }
    }
  }

  private func userVersion() throws(Failure) -> Int32 {
    let statement = try unsafe prepare("PRAGMA user_version")
    defer { unsafe sqlite3_finalize(statement) }
    guard unsafe sqlite3_step(statement) == SQLITE_ROW else { throw failure("cannot read") }
    return unsafe sqlite3_column_int(statement, 0)
  }

  private func execute(_ sql: String) throws(Failure) {
    guard unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw failure("cannot set up")
    }
  }

  private func prepare(_ sql: String) throws(Failure) -> OpaquePointer {
    var statement: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK,
      let statement = unsafe statement
    else { throw failure("cannot use") }
    return unsafe statement
  }

  private func failure(_ what: String) -> Failure {
    let message = unsafe String(cString: sqlite3_errmsg(database))
    // A failed statement may have left a transaction open.
    _ = unsafe sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
    return Failure(description: "\(what) \(path): \(message)")
  }

  private func bind(_ statement: OpaquePointer, _ index: Int32, _ value: String?) {
    guard let value else {
      unsafe sqlite3_bind_null(statement, index)
      return
    }
    // SQLITE_TRANSIENT: SQLite makes its own copy.
    let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    unsafe sqlite3_bind_text(statement, index, value, -1, copy)
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
    guard let bytes = unsafe sqlite3_column_text(statement, column) else { return nil }
    return unsafe String(cString: bytes)
  }
}
