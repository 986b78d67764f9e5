/// What one host asked for in the last minute.
struct Quotas: Hashable, Sendable {
  /// At most so many in a minute.
  struct Rate: Hashable, Sendable {
    static let window: Int64 = 60_000

    /// Monotonic milliseconds, oldest first.
    private var times: [Int64] = []

    /// Counts one more where that is not too many.
    mutating func admit(_ limit: Int, at now: Moment) -> Bool {
      times.removeAll { $0 <= now.monotonic - Self.window }
      guard times.count < limit else { return false }
      times.append(now.monotonic)
      return true
    }

    func isUsed(at now: Moment) -> Bool { times.last.map { $0 > now.monotonic - Self.window } ?? false }
  }

  var launches = Rate()
  var reports = Rate()

  func isUsed(at now: Moment) -> Bool { launches.isUsed(at: now) || reports.isUsed(at: now) }
}
