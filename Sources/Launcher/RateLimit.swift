internal import LinuxSystem

/// Lets so many lines through in a second, and counts the others.
struct RateLimit {
  static let linesPerSecond = 200

  private var windowEnd = MonotonicTime(nanoseconds: 0)
  private var used = 0
  private(set) var dropped = 0

  mutating func admit(now: MonotonicTime) -> Bool {
    if now >= windowEnd {
      windowEnd = now + .seconds(1)
      used = 0
    }
    if used < Self.linesPerSecond {
      used += 1
      return true
    }
    dropped += 1
    return false
  }

  /// Lines that were let through, but did not arrive.
  mutating func addDropped(_ count: Int) { dropped += count }

  /// How many were left out since the last time.
  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }
}
