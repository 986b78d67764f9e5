public import LinuxSystem

/// What one root held when it was looked at.
public struct RootScan: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    case present
    /// Not there, which is no fault.
    case absent
    case failed(Errno)
  }

  public var path: String
  public var state: State
  /// Whether changes are told (inotify); else the root must be looked at again and again.
  public var reportsEvents = true
  public var records: [BundleRecord] = []

  init(path: String, state: State) {
    self.path = path
    self.state = state
  }
}
