internal import CLinux

/// A time of the monotonic clock, in nanoseconds. Does not advance while the machine sleeps.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  /// Since a moment that is the same for all processes of this machine until it starts anew: CLOCK_MONOTONIC of
  /// clock_gettime(2).
  public let nanoseconds: Int64

  /// A time that was read before, also by another process of this machine.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// This moment.
  public static var now: MonotonicTime { MonotonicTime(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC)) }

  /// The same, rounded down.
  public var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// Whether `left` is earlier.
  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// How long it is from `start` to `end`; negative where `end` is earlier.
  public static func - (end: Self, start: Self) -> Duration {
    .nanoseconds(end.nanoseconds - start.nanoseconds)
  }

  /// The time that is `interval` later. Over a century is as good as never, and is taken for one.
  public static func + (time: Self, interval: Duration) -> Self {
    let parts = interval.components
    // Over a century is never: `.seconds(Int64.max)` is what somebody writes who wants no deadline.
    let seconds = min(max(parts.seconds, -4_000_000_000), 4_000_000_000)
    return Self(nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
  }
}

/// The time of day, in milliseconds since 1970. For people and files, never for deadlines.
package enum WallClock {
  package static var milliseconds: Int64 { clockNanoseconds(CLOCK_REALTIME) / 1_000_000 }
}

private func clockNanoseconds(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
