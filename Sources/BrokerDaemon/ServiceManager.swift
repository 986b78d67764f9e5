internal import CSystemd
internal import LinuxSystem

/// The service manager that started this process, if any: sd_notify(3).
struct ServiceManager {
  static let isThere = CurrentProcess.environment("NOTIFY_SOCKET") != nil

  static func ready(_ status: String) { notify("READY=1\nSTATUS=\(status)") }
  static func status(_ status: String) { notify("STATUS=\(status)") }
  static func stopping() { notify("STOPPING=1") }

  private static func notify(_ text: String) { _ = unsafe sd_notify(0, text) }

  /// Tells the watchdog twice in its interval that the loop turns.
  static func feedWatchdog(on loop: EventLoop) {
    var interval: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &interval) > 0 else { return }
    feed(on: loop, every: .microseconds(Int64(interval / 2)))
  }

  private static func feed(on loop: EventLoop, every interval: Duration) {
    notify("WATCHDOG=1")
    loop.schedule(after: interval) { [unowned loop] in feed(on: loop, every: interval) }
  }
}
