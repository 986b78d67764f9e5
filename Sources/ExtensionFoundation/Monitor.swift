internal import ExtensionInterfaces
internal import LinuxSystem
public import Observation
internal import Synchronization
internal import Varlink

extension AppExtensionPoint {
  /// The enabled extensions of one or more points, kept current, over restarts of the broker too.
  public final class Monitor: Sendable, Observable {
    public struct State: Hashable, Sendable {
      public internal(set) var identities: [AppExtensionIdentity] = []
      /// How many the person has disabled.
      public internal(set) var disabledCount = 0
      /// How many wait for the person's approval.
      public internal(set) var unapprovedCount = 0
    }

    private struct Storage {
      var states: [String: State] = [:]
      var streams: [String: Stream] = [:]
    }

    private let registrar = ObservationRegistrar()
    private let storage = Mutex(Storage())

    public init() {}

    /// Returns with the complete list.
    public convenience init(appExtensionPoint: AppExtensionPoint) async throws {
      self.init()
      try await addAppExtensionPoint(appExtensionPoint)
    }

    deinit {
      for stream in storage.withLock({ $0.streams }).values { stream.close() }
    }

    /// Watches one more point, and returns with its extensions in the list. A second time is no change.
    public func addAppExtensionPoint(_ point: AppExtensionPoint) async throws {
      let identifier = try point.fullIdentifier()
      guard storage.withLock({ $0.streams[identifier] }) == nil else { return }
      let stream = try await HostConnection.perform { try Stream(point: identifier) }
      update {
        $0.streams[identifier] = stream; $0.states[identifier] = stream.first
      }
      try stream.follow { [weak self] state in
        self?.update { $0.states[identifier] = state }
      }
    }

    public func removeAppExtensionPoint(_ point: AppExtensionPoint) async throws {
      let identifier = try point.fullIdentifier()
      update { storage in
        storage.streams.removeValue(forKey: identifier)?.close()
        storage.states[identifier] = nil
      }
    }

    public var identities: [AppExtensionIdentity] { state.identities }

    public var state: State {
      registrar.access(self, keyPath: \.state)
      return storage.withLock { storage in
        storage.states.values.reduce(into: State()) { sum, state in
          sum.identities += state.identities
          sum.disabledCount += state.disabledCount
          sum.unapprovedCount += state.unapprovedCount
        }
      }
    }

    private func update(_ change: (inout Storage) -> Void) {
      registrar.withMutation(of: self, keyPath: \.state) { storage.withLock { change(&$0) } }
    }
  }
}

extension AppExtensionPoint.Monitor {
  /// The event stream of one point, read by a thread.
  private final class Stream: Sendable {
    private struct Link {
      var client: VarlinkClient
    }

    let first: State
    private let point: String
    private let socket: Mutex<SharedDescriptor?>
    private let link: Mutex<Link>

    init(point: String) throws {
      self.point = point
      let (client, state) = try Self.subscribe(point)
      first = state
      socket = Mutex(client.socket)
      link = Mutex(Link(client: client))
    }

    private static func subscribe(_ point: String) throws -> (VarlinkClient, State) {
      let client = try HostConnection.connect()
      do throws(VarlinkClientError) {
        let answer = try client.call(
          BrokerInterface.Subscribe(extensionPoints: [point]), more: true, timeout: .seconds(30))
        return (client, apply(answer.reply, to: State()))
      } catch {
        throw AppExtensionError(error)
      }
    }

    private static func apply(_ event: BrokerInterface.Subscribe.Reply, to state: State) -> State {
      var state = state
      if let snapshot = event.snapshot {
        state.identities = snapshot.identities.map(AppExtensionIdentity.init)
        state.disabledCount = snapshot.disabledCount
        state.unapprovedCount = snapshot.unapprovedCount
      }
      if let change = event.change {
        let gone = Set(change.removed + change.updated.map(\.id))
        state.identities.removeAll { gone.contains($0.id) }
        state.identities += (change.added + change.updated).map(AppExtensionIdentity.init)
        state.identities.sort { $0.id < $1.id }
        state.disabledCount = change.disabledCount
        state.unapprovedCount = change.unapprovedCount
      }
      return state
    }

    /// Reads until it is closed, and begins anew when the broker went away.
    func follow(_ update: @escaping @Sendable (State) -> Void) throws(Errno) {
      try startThread { [self] in
        var state = first
        while isOpen {
          let next = link.withLock { link -> BrokerInterface.Subscribe.Reply? in
            (try? link.client.next(BrokerInterface.Subscribe.self))?.reply
          }
          if let next {
            state = Self.apply(next, to: state)
            update(state)
          } else if let fresh = reconnect() {
            state = fresh
            update(state)
          }
        }
      }
    }

    private var isOpen: Bool { socket.withLock { $0 != nil } }

    private func reconnect() -> State? {
      var pause = 50
      while isOpen {
        let fresh = link.withLock { link -> (State, SharedDescriptor)? in
          guard let (client, state) = try? Self.subscribe(point) else { return nil }
          link.client = client
          return (state, client.socket)
        }
        if let (state, socket) = fresh {
          return self.socket.withLock { current in
            guard current != nil else { return nil }
            current = socket
            return state
          }
        }
        CurrentProcess.pause(milliseconds: pause)
        pause = min(pause * 2, 2000)
      }
      return nil
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
