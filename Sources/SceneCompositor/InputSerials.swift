internal import LinuxSystem

/// Which serials belong to keys, buttons and fingers that went down a short time ago: only with one of them a client may do
/// what the person must have wanted.
struct InputSerials {
  private static let most = 64
  private static let age = Duration.seconds(60)

  private var known: [(serial: UInt32, time: MonotonicTime)] = []

  mutating func add(_ serial: UInt32) {
    if known.count == Self.most { known.removeFirst() }
    known.append((serial, .now))
  }

  func contains(_ serial: UInt32) -> Bool {
    let now = MonotonicTime.now
    return known.contains { $0.serial == serial && now - $0.time < Self.age }
  }
}
