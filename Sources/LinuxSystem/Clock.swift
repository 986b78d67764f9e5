internal import CLinux

/// A time of the monotonic clock, in nanoseconds. Does not advance while the machine sleeps.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static var now: MonotonicTime { MonotonicTime(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC)) }

  public var milliseconds: Int64 { nanoseconds / 1_000_000 }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func - (end: Self, start: Self) -> Duration {
    .nanoseconds(end.nanoseconds - start.nanoseconds)
  }

  public static func + (time: Self, interval: Duration) -> Self {
    let parts = interval.components
    // Over a century is never: `.seconds(Int64.max)` is what somebody writes who wants no deadline.
    let seconds = min(max(parts.seconds, -4_000_000_000), 4_000_000_000)
    return Self(nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
  }
}

/// The time of day, in milliseconds since 1970. For people and files, never for deadlines.
public enum WallClock {
  public static var milliseconds: Int64 { clockNanoseconds(CLOCK_REALTIME) / 1_000_000 }
}

private func clockNanoseconds(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
