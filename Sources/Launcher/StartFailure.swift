/// Why the launcher cannot run. The message says what to do.
public struct StartFailure: Error, Sendable {
  /// As in sysexits(3).
  public enum Status: CInt, Sendable {
    case usage = 64
    case system = 71
    case otherLauncher = 75
    case configuration = 78
  }

  public let status: Status
  public let message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }
}
