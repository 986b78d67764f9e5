internal import ExtensionInterfaces
internal import LinuxSystem
internal import Synchronization
internal import Varlink

extension AppExtensionPoint.Monitor {
  /// The broker's event stream for one point, read by a thread of its own.
  final class Subscription: Sendable {
    /// The state that the stream began with.
    let first: State
    private let point: String
    private let client: Mutex<VarlinkClient>
    /// Of the present client, for whoever closes; nil when it is closed.
    private let socket: Mutex<SharedDescriptor?>

    /// Blocks until the first state is there.
    init(point: String) throws {
      self.point = point
      let (client, state) = try Self.subscribe(point)
      first = state
      socket = Mutex(client.socket)
      self.client = Mutex(client)
    }

    private static func subscribe(_ point: String) throws -> (VarlinkClient, State) {
      let client = try Broker.connect()
      do throws(VarlinkClientError) {
        let answer = try client.call(
          BrokerInterface.Subscribe(extensionPoints: [point]), more: true, timeout: .seconds(30))
        return (client, State().applying(answer.reply))
      } catch {
        throw AppExtensionError(error)
      }
    }

    /// Reads until it is closed, and begins anew when the broker went away.
    func follow(_ update: @escaping @Sendable (Subscription, State) -> Void) throws(Errno) {
      try startThread { [self] in
        var state = first
        var pause = 50
        while isOpen {
          let latest: State
          if let event = next() {
            latest = state.applying(event)
            pause = 50
          } else if isOpen {
            CurrentProcess.pause(milliseconds: pause)
            pause = min(pause * 2, 2000)
            guard let fresh = reconnect() else { continue }
            latest = fresh
          } else {
            return
          }
          // Steps of activations are no change, and a restart need not be one.
          guard latest != state else { continue }
          state = latest
          update(self, state)
        }
      }
    }

    private var isOpen: Bool { socket.withLock { $0 != nil } }

    /// Waits for the next event. nil: the stream is over.
    private func next() -> BrokerInterface.Subscribe.Reply? {
      client.withLock { client in (try? client.next(BrokerInterface.Subscribe.self))?.reply }
    }

    private func reconnect() -> State? {
      client.withLock { current in
        guard let (client, state) = try? Self.subscribe(point) else { return nil }
        let isOpen = socket.withLock { socket in
          if socket != nil { socket = client.socket }
          return socket != nil
        }
        guard isOpen else { return nil }
        current = client
        return state
      }
    }

    func close() {
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
