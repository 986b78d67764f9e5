/// The crashes of one content of a bundle: when it may be started again.
struct CrashHistory: Hashable, Sendable {
  static let window: Int64 = 5 * 60_000
  static let crashesToQuarantine = 3
  static let firstBackOff: Int64 = 500
  static let firstQuarantine: Int64 = 5 * 60_000
  static let longestQuarantine: Int64 = 60 * 60_000

  /// Monotonic milliseconds, oldest first.
  private(set) var crashes: [Int64] = []
  private(set) var quarantines = 0
  /// Not started before this moment.
  private(set) var notBefore: Moment?
  private(set) var isQuarantined = false

  /// Adds a crash. Returns whether it is quarantined from now on.
  mutating func record(at now: Moment) -> Bool {
    // One that still ran when the quarantine began adds nothing to it.
    guard quarantine(at: now) == nil else { return false }
    crashes = crashes.filter { $0 > now.monotonic - Self.window } + [now.monotonic]
    var pause = Self.firstBackOff << Int64(crashes.count - 1)
    isQuarantined = crashes.count >= Self.crashesToQuarantine
    if isQuarantined {
      pause = min(Self.firstQuarantine << Int64(min(quarantines, 10)), Self.longestQuarantine)
      quarantines += 1
      crashes = []
    }
    notBefore = Moment(monotonic: now.monotonic + pause, wall: now.wall + pause)
    return isQuarantined
  }

  /// When the quarantine ends; nil where there is none.
  func quarantine(at now: Moment) -> Moment? {
    guard isQuarantined, let notBefore, notBefore.monotonic > now.monotonic else { return nil }
    return notBefore
  }

  /// How long a start must wait because of the crashes before.
  func delay(at now: Moment) -> Int64 {
    max(0, (notBefore?.monotonic ?? 0) - now.monotonic)
  }

  /// Nothing in it matters any more.
  func isForgettable(at now: Moment) -> Bool {
    guard delay(at: now) == 0 else { return false }
    // The next quarantine is a longer one, unless it went well for as long as the longest.
    if quarantines > 0, let notBefore, notBefore.monotonic > now.monotonic - Self.longestQuarantine {
      return false
    }
    return crashes.allSatisfy { $0 <= now.monotonic - Self.window }
  }
}
