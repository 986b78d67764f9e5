// How long it is that something left behind was not there. What it stored, and the decisions about it, are kept for a time.

extension DecisionStore {
  /// Milliseconds.
  static let keepsFor: Int64 = 180 * 86_400_000
  /// The most that counts between two looks: a clock that was wrong once must not make anything old.
  static let longestStep: Int64 = 7 * 86_400_000

  /// Notices what of `left` is not among `present`, and returns what was not for too long.
  func absent(_ left: Set<String>, present: Set<String>, now: Int64) throws(Failure) -> [String] {
    let known = try database.run("SELECT identifier, since, lasted FROM absence") { row in
      (identifier: row.text(0) ?? "", since: row.integer(1), lasted: row.integer(2))
    }
    let gone = left.subtracting(present)
    // At nearly every start. Nothing is written then.
    if known.isEmpty, gone.isEmpty { return [] }
    var lasted: [String: Int64] = [:]
    for row in known where gone.contains(row.identifier) {
      lasted[row.identifier] = row.lasted + min(max(0, now - row.since), Self.longestStep)
    }
    try database.execute("BEGIN IMMEDIATE")
    try database.execute("DELETE FROM absence")
    for identifier in gone.sorted() {
      try database.run(
        "INSERT INTO absence (identifier, since, lasted) VALUES (?,?,?)",
        [.text(identifier), .integer(now), .integer(lasted[identifier] ?? 0)])
    }
    try database.execute("COMMIT")
    return gone.filter { lasted[$0, default: 0] > Self.keepsFor }.sorted()
  }
}
