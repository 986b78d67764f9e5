internal import CSystemd

/// Tells the service manager how the launcher is. Without one nothing happens.
enum ServiceManager {
  static func ready() { notify("READY=1\nSTATUS=No instances") }
  static func stopping() { notify("STOPPING=1\nSTATUS=Ending all instances") }
  static func status(instances: Int) { notify("STATUS=\(instances == 0 ? "No" : "\(instances)") instances") }

  private static func notify(_ state: String) { _ = unsafe sd_notify(0, state) }
}
