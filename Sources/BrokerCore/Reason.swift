public import ExtensionInterfaces

/// Why something ended, or could not begin.
public typealias Reason = BrokerInterface.Reason

extension Reason {
  /// One sentence for people.
  public var sentence: String {
    switch kind {
    case .hostEnded: "the host ended it"
    case .hostGone: "the host's process ended"
    case .idle: "no host used it any more"
    case .exited: "it exited with status \(status ?? 0)"
    // SIGSYS comes from the filter of system calls alone, unless a program sends it to itself.
    case .crashed where signal == 31:
      "it was ended by the filter of system calls (signal 31): it made a call of another architecture, as a 32-bit program does"
    case .crashed: "it crashed with signal \(signal ?? 0)"
    case .killed: "it was killed with signal \(signal ?? 9)"
    case .outOfMemory:
      "it used up its memory" + (limit.map { " (limit \($0) bytes, peak \(peak ?? 0) bytes)" } ?? "")
    case .unresponsive: "it did not answer in time" + (stage.map { " to \($0)" } ?? "")
    case .startFailed:
      "it could not be started" + (stage.map { " (\($0))" } ?? "") + (detail.map { ": \($0)" } ?? "")
    case .startTimedOut: "it was not ready in time" + (stage.map { " (\($0))" } ?? "")
    case .sandboxFailed: "its sandbox could not be set up" + (detail.map { ": \($0)" } ?? "")
    case .disabled: "the person disabled it"
    case .changed: "its files are not those that were approved"
    case .removed: "its bundle was removed"
    case .updated: "its bundle was updated"
    case .quarantined: "it crashed too often and rests for a while"
    case .policy where rule == "containerSize": "it stored too much: \(detail ?? "")"
    case .policy: "a policy forbids it" + (rule.map { ": \($0)" } ?? "")
    case .launcherGone: "the launcher ended, and all extensions with it"
    case .stopping: "somebody asked for a stop"
    }
  }

  /// The extension's own fault: counts towards quarantine.
  var isCrash: Bool {
    switch kind {
    case .crashed, .outOfMemory, .unresponsive: true
    case .exited: status != 0
    // In other stages it has not run yet.
    case .startFailed, .startTimedOut: stage == "Start"
    default: false
    }
  }
}
