internal import ExtensionInterfaces

/// One running process tree of an extension, from the request to the last report.
struct Instance: Sendable {
  enum Phase: Hashable, Sendable {
    /// Crashes before make it wait.
    case backingOff
    /// Waits until its bundle is known to be what was decided about.
    case checking
    /// Its bundle is another one by now, which may be used as well: waits until that is read.
    case rereading
    /// Waits for the launcher to be there.
    case waitingForLauncher
    /// The launcher was asked.
    case launching
    /// It has a process, and was told to start.
    case starting(call: String)
    case running
    /// It was asked to stop, and how far that went.
    case stopping(Reason, StopStep)
  }

  /// Its Wayland connection, of which it has one at most.
  enum Display: Hashable, Sendable {
    /// It can have none.
    case none
    case possible
    /// It has its end. The host's waits for the first connection that is accepted.
    case waiting
    /// Both have their ends.
    case given
  }

  enum StopStep: Hashable, Sendable {
    case asked(call: String)
    case terminated
    case killed
  }

  let id: String
  let identifier: String
  let extensionPoint: String
  let path: String
  /// Version and digest follow the bundle until the launch, where content needs no approval.
  var version: String
  var digest: String
  let policy: PointFacts.InstancePolicy
  /// Whom it serves, where the policy says so.
  let host: HostKey?
  let hostVerified: Bool
  let since: Int64

  var phase: Phase
  /// Monotonic milliseconds; when the present phase must be over.
  var deadline: Int64?
  /// For the whole start, over all phases.
  var startDeadline: Int64
  var processID: Int32?
  /// The program itself runs.
  var executed = false
  var scenes: [String]?
  var activations: Set<String> = []
  /// Of a developer's bundle.
  var isDeveloped = false
  /// Its program is stopped before its first instruction, for a debugger.
  var waits = false
  var display = Display.none
  /// It said that it knows MemoryPressure.
  var hearsMemoryPressure = false
  /// It was told, and has not answered.
  var memoryPressureCall: String?
  /// That was said.
  var containerIsNearlyFull = false
  /// Connections that the extension was asked to accept.
  var accepting: [String: PendingAccept] = [:]

  struct PendingAccept: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
      /// Part of the activation itself.
      case activate
      case connect(RequestID)
    }
    let activation: String
    let connection: ConnectionID
    let purpose: Purpose
    /// The host shows it.
    let wantsDisplay: Bool
    /// nil: under a debugger it may take any time.
    let deadline: Int64?
  }

  /// The name of what it is waiting for, for errors.
  var stage: String {
    switch phase {
    case .backingOff: "backOff"
    case .checking, .rereading: "check"
    case .waitingForLauncher: "launcher"
    case .launching: "launch"
    case .starting: executed ? "Start" : "sandbox"
    case .running: "running"
    case .stopping: "stop"
    }
  }

  var isStopping: Bool { if case .stopping = phase { true } else { false } }

  /// It has a process, or may have.
  var isWithLauncher: Bool {
    switch phase {
    case .backingOff, .checking, .rereading, .waitingForLauncher: false
    default: true
    }
  }

  var nextDeadline: Int64? {
    // Of one that is stopping no answer is expected any more; its end answers whoever waits.
    let accepts = isStopping ? nil : accepting.values.lazy.compactMap(\.deadline).min()
    guard let deadline else { return accepts }
    return min(deadline, accepts ?? deadline)
  }
}
