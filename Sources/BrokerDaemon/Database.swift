internal import CSQLite
internal import LinuxSystem

/// An SQLite database. For one thread at a time.
@safe final class Database {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let database: OpaquePointer
  /// Statements that were prepared: to do so again takes longer than what most of them do.
  private var statements: [String: OpaquePointer] = unsafe [:]
  let path: String

  /// Opens the file, or makes it. A link in its place is not followed; its directory may be behind one, as home directories
  /// often are.
  init(path: String) throws(Failure) {
    Self.isConfigured
    let path = Self.resolved(path)
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
  }

  /// Comes before all other use of SQLite.
  private static let isConfigured: Void = {
    // Where it fails more memory is used.
    _ = csqlite_no_pages_beforehand()
  }()

  /// SQLite refuses a link anywhere in a path.
  private static func resolved(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/"),
      let directory = try? File.open(String(path[..<slash]) + "/", [.path, .directory]),
      let real = try? File.readLink("/proc/self/fd/\(directory.rawValue)")
    else { return path }
    return real + path[slash...]
  }

  deinit {
    unsafe statements.values.forEach { _ = unsafe sqlite3_finalize($0) }
    unsafe sqlite3_close_v2(database)
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(Failure) {
    guard unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure("cannot use") }
  }

  /// Runs one statement with these parameters, and reads each row that it gives.
  func run<Row>(
    _ sql: String, _ parameters: [Value] = [], row: (Columns) -> Row
  ) throws(Failure) -> [Row] {
    let statement = try unsafe prepared(sql)
    // One that failed says so again.
    defer { _ = unsafe sqlite3_reset(statement) }
    for (index, value) in parameters.enumerated() {
      unsafe Self.bind(statement, Int32(clamping: index + 1), value)
    }
    var rows: [Row] = []
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(row(unsafe Columns(statement: statement)))
      case SQLITE_DONE: return rows
      default: throw failure("cannot read or write")
      }
    }
  }

  /// Gives back the memory of pages that were read or written: SQLite keeps up to 2 MB of them for as long as it is open.
  func releaseMemory() { unsafe sqlite3_db_release_memory(database) }

  /// Whether `BEGIN` was said, and nothing has ended it since: a failure does, too.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

  private func prepared(_ sql: String) throws(Failure) -> OpaquePointer {
    if let statement = unsafe statements[sql] { return unsafe statement }
    var statement: OpaquePointer?
    guard
      unsafe sqlite3_prepare_v3(
        database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement = unsafe statement
    else { throw failure("cannot use") }
    unsafe statements[sql] = statement
    return unsafe statement
  }

  func run(_ sql: String, _ parameters: [Value] = []) throws(Failure) {
    _ = try run(sql, parameters) { _ in }
  }

  /// The number that tells the format of what is in it; 0 in a new one.
  var userVersion: Int64 {
    get throws(Failure) { try run("PRAGMA user_version") { $0.integer(0) }.first ?? 0 }
  }

  private func failure(_ what: String) -> Failure {
    let message = unsafe String(cString: sqlite3_errmsg(database))
    // A failed statement may have left a transaction open.
    _ = unsafe sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
    return Failure(description: "\(what) \(path): \(message)")
  }

  enum Value {
    case text(String?)
    case integer(Int64)
    case bytes([UInt8]?)
  }

  private static func bind(_ statement: OpaquePointer, _ index: Int32, _ value: Value) {
    // SQLITE_TRANSIENT: SQLite makes its own copy.
    let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .text(nil): unsafe sqlite3_bind_null(statement, index)
    case .text(let text?): unsafe sqlite3_bind_text(statement, index, text, -1, copy)
    case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
    case .bytes(nil): unsafe sqlite3_bind_null(statement, index)
    case .bytes(let bytes?):
      unsafe sqlite3_bind_blob(statement, index, bytes, Int32(clamping: bytes.count), copy)
    }
  }

  /// One row, while it is read.
  @safe struct Columns {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String? {
      guard let bytes = unsafe sqlite3_column_text(statement, column) else { return nil }
      return unsafe String(cString: bytes)
    }

    func bytes(_ column: Int32) -> [UInt8] {
      guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
      return unsafe Array(
        UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
  }
}
