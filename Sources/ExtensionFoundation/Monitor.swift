internal import LinuxSystem
public import Observation
internal import Synchronization

extension AppExtensionPoint {
  /// The enabled extensions of one or more points, kept current, over restarts of the broker too.
  ///
  /// Any thread may use it. Observe `identities` or `state` (they change on a thread of the monitor's), or
  /// read `changes`.
  public final class Monitor: Sendable, Observable {
    /// What a monitor knows of its points, at one moment.
    public struct State: Hashable, Sendable {
      /// The extensions that this host may use.
      public internal(set) var identities: [AppExtensionIdentity] = []
      /// How many the person has disabled.
      public internal(set) var disabledCount = 0
      /// How many wait for the person's approval.
      public internal(set) var unapprovedCount = 0
    }

    private struct Storage {
      var subscriptions: [String: (subscription: Subscription, state: State, failure: AppExtensionError?)] =
        [:]
      var watchers: [Int: AsyncStream<State>.Continuation] = [:]
      var watchersMade = 0

      var total: State {
        subscriptions.sorted { $0.key < $1.key }.reduce(into: State()) { sum, entry in
          sum.identities += entry.value.state.identities
          sum.disabledCount += entry.value.state.disabledCount
          sum.unapprovedCount += entry.value.state.unapprovedCount
        }
      }

      var brokerStatus: AppExtensionHost.BrokerStatus {
        subscriptions.values.lazy.compactMap(\.failure).first.map { .unavailable($0) } ?? .available
      }
    }

    private let registrar = ObservationRegistrar()
    private let storage = Mutex(Storage())

    /// Watches nothing yet.
    public init() {}

    /// Returns with the complete list. Needs a broker; `AppExtensionHost.waitForBroker()` waits for one.
    /// - Throws: as `addAppExtensionPoint(_:)`.
    public convenience init(appExtensionPoint: AppExtensionPoint) async throws {
      self.init()
      try await addAppExtensionPoint(appExtensionPoint)
    }

    deinit {
      for entry in storage.withLock({ $0.subscriptions.values }) { entry.subscription.close() }
    }

    /// Watches one more point, and returns with its extensions in the list. A second time is no change.
    /// - Throws: `AppExtensionPoint.Error`, or `AppExtensionError` where the broker cannot be asked.
    public func addAppExtensionPoint(_ point: AppExtensionPoint) async throws {
      let identifier = try point.fullIdentifier()
      guard storage.withLock({ $0.subscriptions[identifier] == nil }) else { return }
      let subscription = try await Blocking.run { try Subscription(point: identifier) }
      // Somebody else may have added it meanwhile.
      guard insert(subscription, for: identifier) else { return subscription.close() }
      do throws(Errno) {
        try subscription.follow { [weak self] subscription, state, failure in
          self?.update { storage in
            guard storage.subscriptions[identifier]?.subscription === subscription else { return }
            storage.subscriptions[identifier] = (subscription, state, failure)
          }
        }
      } catch {
        try await removeAppExtensionPoint(point)
        throw AppExtensionError(.failed, "no thread can be started: \(error)")
      }
    }

    /// Watches a point no more, and takes its extensions from the list.
    public func removeAppExtensionPoint(_ point: AppExtensionPoint) async throws {
      let identifier = try point.fullIdentifier()
      update { $0.subscriptions.removeValue(forKey: identifier)?.subscription.close() }
    }

    /// The extensions that this host may use.
    public var identities: [AppExtensionIdentity] { state.identities }

    /// The list with its counts, all of one moment. Can be observed.
    public var state: State {
      registrar.access(self, keyPath: \.state)
      return storage.withLock { $0.total }
    }

    /// Whether the list is current. While it is `unavailable`, the list is the last that was known, and the monitor looks
    /// for the broker every two seconds at most. Can be observed; a restart of the broker shows here alone, and only for
    /// a moment.
    public var brokerStatus: AppExtensionHost.BrokerStatus {
      registrar.access(self, keyPath: \.brokerStatus)
      return storage.withLock { $0.brokerStatus }
    }

    private func insert(_ subscription: Subscription, for identifier: String) -> Bool {
      update { storage in
        guard storage.subscriptions[identifier] == nil else { return false }
        storage.subscriptions[identifier] = (subscription, subscription.first, nil)
        return true
      }
    }

    private func update<Result>(_ change: (inout Storage) -> Result) -> Result {
      let (isChanged, isStatusChanged, result) = storage.withLock { storage in
        let (before, statusBefore) = (storage.total, storage.brokerStatus)
        let result = change(&storage)
        let after = storage.total
        // Under the lock, so that no watcher gets an older state after a newer one.
        if after != before { for watcher in storage.watchers.values { watcher.yield(after) } }
        return (after != before, storage.brokerStatus != statusBefore, result)
      }
      // Observers are told when the change is made: they read on other threads, and one that still read the old state
      // would not be told again.
      if isChanged { registrar.withMutation(of: self, keyPath: \.state) {} }
      if isStatusChanged { registrar.withMutation(of: self, keyPath: \.brokerStatus) {} }
      return result
    }

    /// The present state, and each later one that a reader is quick enough for; always the latest.
    func watch() -> (present: State, later: AsyncStream<State>) {
      let (stream, continuation) = AsyncStream.makeStream(
        of: State.self, bufferingPolicy: .bufferingNewest(1))
      let (number, present) = storage.withLock { storage in
        storage.watchersMade += 1
        storage.watchers[storage.watchersMade] = continuation
        return (storage.watchersMade, storage.total)
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.storage.withLock { $0.watchers.removeValue(forKey: number) }
      }
      return (present, stream)
    }
  }
}
