internal import ExtensionInterfaces
package import LinuxSystem
internal import Synchronization
internal import Varlink

extension AppExtensionPoint.Monitor {
  /// The broker's event stream for one point, read by a thread of its own.
  package final class Subscription: Sendable {
    /// The state that the stream began with.
    package let first: State
    private let point: String
    private let client: Mutex<VarlinkClient>
    /// Of the present client, for whoever closes; nil when it is closed.
    private let socket: Mutex<SharedDescriptor?>

    /// Blocks until the first state is there.
    package init(point: String) throws {
      self.point = point
      let (client, state) = try Self.subscribe(point)
      first = state
      socket = Mutex(client.socket)
      self.client = Mutex(client)
    }

    private static func subscribe(_ point: String) throws -> (VarlinkClient, State) {
      let client = try Broker.connect()
      let answer = try Broker.call(
        BrokerInterface.Subscribe(extensionPoints: [point]), client, more: true, timeout: .seconds(30))
      return (client, State().applying(answer.reply))
    }

    /// Reads until it is closed, and begins anew when the broker went away. Tells of each state that is another one, and
    /// of why there is none to be had.
    package func follow(
      _ update: @escaping @Sendable (Subscription, State, AppExtensionError?) -> Void
    ) throws(Errno) {
      try startThread { [self] in
        var (state, failure) = (first, nil as AppExtensionError?)
        var pause = 50
        while isOpen {
          let (lastState, lastFailure) = (state, failure)
          if failure == nil, let event = next() {
            state = state.applying(event)
            pause = 50
          } else if failure == nil {
            failure = AppExtensionError(.brokerUnavailable, "the broker is gone; it is looked for")
          } else {
            CurrentProcess.pause(milliseconds: pause)
            pause = min(pause * 2, 2000)
            (state, failure) = reconnect(state)
          }
          // Steps of activations are no change, and a restart need not be one.
          if isOpen, state != lastState || failure != lastFailure { update(self, state, failure) }
        }
      }
    }

    private var isOpen: Bool { socket.withLock { $0 != nil } }

    /// Waits for the next event. nil: the stream is over.
    private func next() -> BrokerInterface.Subscribe.Reply? {
      client.withLock { client in (try? client.next(BrokerInterface.Subscribe.self))?.reply }
    }

    /// The new stream's state, or the old one and why there is none.
    private func reconnect(_ old: State) -> (State, AppExtensionError?) {
      client.withLock { current in
        do {
          let (client, state) = try Self.subscribe(point)
          // Closed meanwhile: the new one is dropped, and nothing is told.
          socket.withLock { if $0 != nil { $0 = client.socket } }
          current = client
          return (state, nil)
        } catch {
          return (old, error as? AppExtensionError ?? AppExtensionError(.failed, "\(error)"))
        }
      }
    }

    package func close() {
      let socket = socket.withLock { socket in
        defer { socket = nil }
        return socket
      }
      if let socket { Socket.shutdown(socket.descriptor) }
    }
  }
}

extension AppExtensionPoint.Monitor.State {
  /// This state after an event of the broker's.
  func applying(_ event: BrokerInterface.Subscribe.Reply) -> Self {
    var state = self
    if let snapshot = event.snapshot {
      state.identities = snapshot.identities.map(AppExtensionIdentity.init)
      state.disabledCount = snapshot.disabledCount
      state.unapprovedCount = snapshot.unapprovedCount
    }
    if let change = event.change {
      let gone = Set(change.removed + (change.added + change.updated).map(\.id))
      state.identities.removeAll { gone.contains($0.id) }
      state.identities += (change.added + change.updated).map(AppExtensionIdentity.init)
      state.disabledCount = change.disabledCount
      state.unapprovedCount = change.unapprovedCount
    }
    state.identities.sort { $0.id < $1.id }
    return state
  }
}
