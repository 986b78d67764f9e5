/// What extctl exits with. Help and the man page list them.
public enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case failed = 1
  case usage = 2
  case notEnabled = 3
  case activationFailed = 4
  case changed = 5
  case unavailable = 69
  case internalError = 70
  case timedOut = 75

  var meaning: String {
    switch self {
    case .success: "it was done"
    case .failed: "it was refused, or there is no such thing"
    case .usage: "the command line is not understood"
    case .notEnabled: "the extension may not be used: it is unapproved, disabled, or not fit"
    case .activationFailed: "the extension could not be started"
    case .changed: "the extension is not what was shown; look again"
    case .unavailable: "there is no broker, and none could be started"
    case .internalError: "a fault of extctl or of the broker"
    case .timedOut: "it took too long"
    }
  }
}
