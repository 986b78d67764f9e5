internal import ExtensionInterfaces

/// One host's use of one extension, or of one of its scenes.
struct Activation: Sendable {
  enum Phase: Hashable, Sendable {
    /// The host waits for an answer.
    case pending(RequestID, Step)
    case active
    /// The extension was asked to end. Indirect, since a reason is as large as all else of an activation.
    indirect case deactivating(Reason)
  }

  enum Step: Hashable, Sendable {
    case instance
    case lease
    case accept
  }

  let id: String
  let host: HostKey
  let identifier: String
  let instance: String
  let scene: String?
  /// A first connection goes with the answer.
  let wantsConnection: Bool
  /// And is shown.
  var wantsDisplay = false
  let since: Int64
  var phase: Phase
  var connections = 0
  /// Monotonic milliseconds; when the launcher must have taken the lease.
  var leaseDeadline: Int64?

  var isPending: Bool { if case .pending = phase { true } else { false } }
}

/// An activation that is over, kept for hosts that missed the event.
struct EndedActivation: Sendable {
  let id: String
  let host: HostKey
  let identifier: String
  let scene: String?
  let reason: Reason
  /// The instance that may be forgotten once this was told; nil where nobody waits for that.
  var instance: String?
  var told: Bool
  /// When it is given up to tell.
  let deadline: Int64
}
