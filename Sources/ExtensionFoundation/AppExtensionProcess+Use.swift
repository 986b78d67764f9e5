internal import ExtensionInterfaces
package import LinuxSystem
internal import Synchronization

extension AppExtensionProcess {
  /// One host's use of an extension: its activation, and where that is wanted those that follow it.
  package final class Use: Sendable {
    private struct Activation {
      let id: String
      /// It carries no bytes; its end is the extension's.
      let lease: SharedDescriptor
    }

    private struct State {
      var activation: Activation
      var isInvalid = false
    }

    private let sceneID: String?
    private let state: Mutex<State>
    /// Its end wakes whoever waits to come back; nil where nobody does.
    private let alarm: SharedDescriptor?

    /// Blocks until the extension is ready.
    package init(_ configuration: Configuration, timeout: Duration? = nil) throws {
      sceneID = configuration.sceneID
      let first = try Self.activate(configuration, timeout: timeout)
      state = Mutex(State(activation: first))
      var bell: SharedDescriptor?
      if configuration.restartsAfterCrash {
        (alarm, bell) = try Socket.pair()
      } else {
        alarm = nil
      }
      try startThread { [weak self, bell] in
        var current = first
        var pauses = RestartPauses()
        while true {
          let began = MonotonicTime.now
          _ = try? Poll.readable(current.lease.rawValue)
          guard self?.isValid == true else { return }
          let reason = EndReason.find(current.id)
          guard self?.isValid == true else { return }
          configuration.onInterruption(reason)
          guard let bell else { return }
          pauses.noteLife(from: began, to: .now)
          // Nothing here keeps the use alive: letting go of it ends the wait.
          let outcome = Self.comeBack(configuration, after: reason, &pauses, bell)
          guard let self, self.isValid else { return }
          switch outcome {
          case .success(let next):
            guard self.adopt(next) else { return }
            current = next
            configuration.onRestart(.success(()))
          case .failure(let error): return configuration.onRestart(.failure(error))
          }
        }
      }
    }

    deinit { invalidate() }

    var activationID: String { state.withLock { $0.activation.id } }

    private var isValid: Bool { state.withLock { !$0.isInvalid } }

    private static func activate(
      _ configuration: Configuration, timeout: Duration? = nil
    ) throws -> Activation {
      let (reply, descriptors) = try Broker.call(
        BrokerInterface.Activate(
          extension: configuration.appExtensionIdentity.id, scene: configuration.sceneID), timeout: timeout)
      guard descriptors.indices.contains(reply.leaseFileDescriptor) else {
        throw AppExtensionError(.failed, "the broker sent no lease")
      }
      return Activation(id: reply.activation, lease: descriptors[reply.leaseFileDescriptor])
    }

    /// Blocks until the extension has answered.
    package func connect(timeout: Duration? = nil) throws -> AppExtensionConnection {
      try connect(display: nil, timeout: timeout).connection
    }

    /// A connection of a host that shows the extension.
    package struct Shown: Sendable {
      package let connection: AppExtensionConnection
      /// The process of the extension. It has one display.
      package let instanceID: String?
      /// The host's end, where this connection is the first one that is shown.
      package let display: SharedDescriptor?
      /// Every window on that display is this scene's.
      package let isUnmodified: Bool
    }

    /// The same for a host that shows the extension.
    package func show(timeout: Duration? = nil) throws -> Shown {
      try connect(display: true, timeout: timeout)
    }

    private func connect(display: Bool?, timeout: Duration? = nil) throws -> Shown {
      let activation = activationID
      let (reply, descriptors) = try Broker.call(
        BrokerInterface.Connect(activation: activation, display: display), timeout: timeout)
      guard descriptors.indices.contains(reply.connectionFileDescriptor) else {
        throw AppExtensionError(.failed, "the broker sent no connection")
      }
      let index = reply.displayFileDescriptor
      if let index, !descriptors.indices.contains(index) {
        throw AppExtensionError(.failed, "the broker sent no display")
      }
      return Shown(
        connection: AppExtensionConnection(
          descriptors[reply.connectionFileDescriptor], activationID: activation, sceneID: sceneID),
        instanceID: reply.instance, display: index.map { descriptors[$0] },
        isUnmodified: reply.unmodified ?? false)
    }

    package func invalidate() {
      let lease = state.withLock { state in
        defer { state.isInvalid = true }
        return state.isInvalid ? nil : state.activation.lease
      }
      guard let lease else { return }
      Socket.shutdown(lease.descriptor)
      if let alarm { Socket.shutdown(alarm.descriptor) }
    }

    // MARK: Coming back

    private func adopt(_ next: Activation) -> Bool {
      state.withLock { state in
        if !state.isInvalid { state.activation = next }
        return !state.isInvalid
      }
    }

    /// Tries until the extension is there again, the broker says that it may not be, or the bell rings.
    private static func comeBack(
      _ configuration: Configuration, after reason: EndReason, _ pauses: inout RestartPauses,
      _ bell: SharedDescriptor
    ) -> Result<Activation, AppExtensionError> {
      var error = AppExtensionError(.activationEnded, "the extension has ended: \(reason)", reason: reason)
      guard reason.isWorthRestart else { return .failure(error) }
      while (try? Poll.readable(bell.rawValue, deadline: MonotonicTime.now + pauses.next())) == false {
        do { return .success(try activate(configuration)) } catch let failure as AppExtensionError {
          error = failure
          guard failure.isWorthRestart else { break }
        } catch let failure {
          return .failure(AppExtensionError(.failed, "\(failure)"))
        }
      }
      return .failure(error)
    }
  }
}

/// How long to wait before an extension is started again: from 0.2 s, twice as long each time, 30 s at most, and from the
/// beginning again where it had lived longer than that.
struct RestartPauses {
  static let first = Duration.milliseconds(200)
  static let longest = Duration.seconds(30)
  private var pause = first

  mutating func next() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause
  }

  mutating func noteLife(from began: MonotonicTime, to end: MonotonicTime) {
    if end > began + Self.longest { pause = Self.first }
  }
}

extension AppExtensionProcess.EndReason {
  /// It was nobody's decision.
  var isWorthRestart: Bool {
    switch kind {
    case "exited", "crashed", "killed", "outOfMemory", "unresponsive", "startFailed", "startTimedOut",
      "sandboxFailed", "launcherGone", "updated":
      true
    default: false
    }
  }
}

extension AppExtensionError {
  /// It may pass by itself.
  fileprivate var isWorthRestart: Bool {
    switch code {
    case .brokerUnavailable, .limitReached, .timedOut: true
    case .activationFailed, .activationEnded: reason?.isWorthRestart ?? false
    default: false
    }
  }
}
