internal import BrokerCore

// What the person was told of, so that they are not told again.

extension DecisionStore {
  /// Oldest first.
  func announced(limit: Int) throws(Failure) -> [AnnouncedContent] {
    try makeAnnouncements()
    return try database.run(
      "SELECT identifier, digest FROM (SELECT * FROM announced ORDER BY number DESC LIMIT ?) ORDER BY number",
      [.integer(Int64(limit))]
    ) { AnnouncedContent(identifier: $0.text(0) ?? "", digest: $0.text(1) ?? "") }
  }

  /// Returns when they are on the disk. Only the newest are kept.
  func announce(_ contents: [AnnouncedContent], limit: Int) throws(Failure) {
    try database.execute("BEGIN IMMEDIATE")
    for content in contents {
      try database.run(
        "INSERT OR IGNORE INTO announced (identifier, digest) VALUES (?,?)",
        [.text(content.identifier), .text(content.digest)])
    }
    try database.run(
      "DELETE FROM announced WHERE number <= (SELECT max(number) FROM announced) - ?",
      [.integer(Int64(limit))])
    try database.execute("COMMIT")
    database.releaseMemory()
  }

  /// Nobody was told of these after all.
  func withdrawAnnouncements(_ contents: [AnnouncedContent]) throws(Failure) {
    try database.execute("BEGIN IMMEDIATE")
    for content in contents {
      try database.run(
        "DELETE FROM announced WHERE identifier = ? AND digest = ?",
        [.text(content.identifier), .text(content.digest)])
    }
    try database.execute("COMMIT")
    database.releaseMemory()
  }

  // MARK: What is on the screen

  /// The newest.
  func shownNotifications(limit: Int) throws(Failure) -> [Notifier.Known] {
    try database.run(
      "SELECT identifier, digest, bus, server, number FROM shown ORDER BY rowid DESC LIMIT ?",
      [.integer(Int64(limit))]
    ) {
      Notifier.Known(
        content: AnnouncedContent(identifier: $0.text(0) ?? "", digest: $0.text(1) ?? ""),
        place: .init(
          bus: $0.text(2) ?? "", server: $0.text(3) ?? "", number: UInt32(truncatingIfNeeded: $0.integer(4))))
    }
  }

  func add(_ place: Notifier.Place, of contents: [AnnouncedContent], limit: Int) throws(Failure) {
    try database.execute("BEGIN IMMEDIATE")
    for content in contents {
      try database.run(
        "INSERT OR REPLACE INTO shown (identifier, digest, bus, server, number) VALUES (?,?,?,?,?)",
        [
          .text(content.identifier), .text(content.digest), .text(place.bus), .text(place.server),
          .integer(Int64(place.number)),
        ])
    }
    try database.run(
      "DELETE FROM shown WHERE rowid <= (SELECT max(rowid) FROM shown) - ?", [.integer(Int64(limit))])
    try database.execute("COMMIT")
  }

  func removeShown(_ contents: [AnnouncedContent]) throws(Failure) {
    try database.execute("BEGIN IMMEDIATE")
    for content in contents {
      try database.run(
        "DELETE FROM shown WHERE identifier = ? AND digest = ?",
        [.text(content.identifier), .text(content.digest)])
    }
    try database.execute("COMMIT")
  }

  private func makeAnnouncements() throws(Failure) {
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS shown (
        identifier TEXT NOT NULL, digest TEXT NOT NULL, bus TEXT NOT NULL, server TEXT NOT NULL,
        number INTEGER NOT NULL, UNIQUE (identifier, digest)) STRICT
      """)
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS announced (
        number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT NOT NULL, digest TEXT NOT NULL,
        UNIQUE (identifier, digest)) STRICT
      """)
  }
}
