/// One command of extctl. Parsing, help, completions and the man page are made from these.
struct Command: Sendable {
  struct Option: Sendable {
    let name: String
    /// One letter; nil for none.
    var short: Character?
    /// What stands for the value in help; nil for a switch.
    var value: String?
    let help: String
  }

  let name: String
  var aliases: [String] = []
  /// What comes after the name, such as `ID|PATH`.
  var arguments = ""
  /// How few and how many arguments there may be.
  var count: ClosedRange<Int> = 0...0
  let summary: String
  var details = ""
  var options: [Option] = []
  let run: @Sendable (Invocation) throws -> ExitStatus

  /// Known by every command.
  static let common = [Option(name: "json", help: "print one JSON object, for programs")]
}

/// What extctl exits with. `extctl help` lists them.
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
    case .notEnabled: "the extension is not enabled"
    case .activationFailed: "the extension could not be started"
    case .changed: "the extension is not what was shown; look again"
    case .unavailable: "there is no broker, and none could be started"
    case .internalError: "a fault of extctl or the broker"
    case .timedOut: "it took too long"
    }
  }
}

/// A failure that is told in one line.
struct ControlError: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
