public import CExtensionKit
internal import ExtensionFoundation
internal import Synchronization

/// What an `extk_monitor` points to: what the broker says of a point, and what of it the program was told.
final class Monitor: Handle, Sendable {
  typealias Observed = AppExtensionPoint.Monitor.State

  /// What the program sees.
  private struct Told {
    var state: Observed
    var isCurrent = true
    /// In the order of the state's identities.
    var identities: [Identity]
  }

  private struct Storage {
    var latest: Observed
    var isCurrent = true
    var told: Told
    /// A dispatch is due.
    var isPosted = false
    var isClosed = false
  }

  private let host: Host
  private let subscription: AppExtensionPoint.Monitor.Subscription
  private let storage: Mutex<Storage>
  private let callback: @Sendable (Monitor, extk_change, Identity?) -> Void

  /// Blocks until the list is complete.
  init(
    _ host: Host, point: String, callback: @escaping @Sendable (Monitor, extk_change, Identity?) -> Void
  ) throws {
    self.host = host
    self.callback = callback
    let subscription = try AppExtensionPoint.Monitor.Subscription(
      point: AppExtensionPoint(id: point).fullIdentifier())
    self.subscription = subscription
    let first = subscription.first
    storage = Mutex(
      Storage(latest: first, told: Told(state: first, identities: first.identities.map(Identity.init))))
    try subscription.follow { [weak self] _, state, failure in self?.note(state, isCurrent: failure == nil) }
  }

  deinit { subscription.close() }

  func close() {
    storage.withLock { $0.isClosed = true }
    subscription.close()
  }

  // MARK: What the program sees

  var disabledCount: Int { storage.withLock { $0.told.state.disabledCount } }
  var unapprovedCount: Int { storage.withLock { $0.told.state.unapprovedCount } }
  var isCurrent: Bool { storage.withLock { $0.told.isCurrent } }

  func identity(at index: Int) -> UnsafePointer<extk_identity>? {
    unsafe storage.withLock { storage in
      let identities = storage.told.identities
      return unsafe identities.indices.contains(index) ? identities[index].pointer : nil
    }
  }

  // MARK: Telling

  /// On the subscription's thread.
  private func note(_ state: Observed, isCurrent: Bool) {
    let posts = storage.withLock { storage in
      (storage.latest, storage.isCurrent) = (state, isCurrent)
      defer { storage.isPosted = true }
      return !storage.isPosted
    }
    if posts { host.post { self.tell() } }
  }

  /// On the thread that dispatches: takes one step from what was told to what is, however much has happened.
  private func tell() {
    let (before, after) = storage.withLock { storage in
      let before = storage.told
      storage.isPosted = false
      storage.told.state = storage.latest
      storage.told.isCurrent = storage.isCurrent
      // Those that stay the same stay where they are.
      let kept = Dictionary(before.identities.map { ($0.value, $0) }, uniquingKeysWith: { first, _ in first })
      storage.told.identities = storage.latest.identities.map { kept[$0] ?? Identity($0) }
      return (before, storage.told)
    }
    let change = AppExtensionPoint.Monitor.Change(from: before.state, to: after.state)
    let identities = Dictionary(
      (before.identities + after.identities).map { ($0.value, $0) }, uniquingKeysWith: { first, _ in first })
    for removed in change.removed { call(EXTK_CHANGE_REMOVED, identities[removed]) }
    for updated in change.updated { call(EXTK_CHANGE_UPDATED, identities[updated]) }
    for added in change.added { call(EXTK_CHANGE_ADDED, identities[added]) }
    if before.state.disabledCount != after.state.disabledCount
      || before.state.unapprovedCount != after.state.unapprovedCount
    {
      call(EXTK_CHANGE_COUNTS, nil)
    }
    if before.isCurrent != after.isCurrent { call(EXTK_CHANGE_BROKER, nil) }
    // The program may point to what is gone until here.
    withExtendedLifetime(before) {}
  }

  private func call(_ change: extk_change, _ identity: Identity?) {
    if !storage.withLock({ $0.isClosed }) { callback(self, change, identity) }
  }
}

@c @implementation
public func extk_monitor_new(
  _ host: OpaquePointer?, _ point: UnsafePointer<CChar>?, _ function: extk_monitor_callback?,
  _ userData: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<extk_error>?>?
) -> OpaquePointer? {
  let callback = unsafe Callback(function, userData)
  return unsafe Failure.report(at: error, else: nil) {
    let monitor = unsafe try Monitor(Host.at(host), point: CText.read(point) ?? "") {
      monitor, change, identity in
      unsafe callback.function?(monitor.pointer, change, identity?.pointer, callback.userData)
    }
    return unsafe monitor.retained()
  }
}

@c @implementation
public func extk_monitor_identity(_ monitor: OpaquePointer?, _ index: Int) -> UnsafePointer<extk_identity>? {
  unsafe Monitor.at(monitor).identity(at: index)
}

@c @implementation
public func extk_monitor_disabled_count(_ monitor: OpaquePointer?) -> Int {
  unsafe Monitor.at(monitor).disabledCount
}

@c @implementation
public func extk_monitor_unapproved_count(_ monitor: OpaquePointer?) -> Int {
  unsafe Monitor.at(monitor).unapprovedCount
}

@c @implementation
public func extk_monitor_is_current(_ monitor: OpaquePointer?) -> CInt {
  unsafe Monitor.at(monitor).isCurrent ? 1 : 0
}

@c @implementation
public func extk_monitor_free(_ monitor: OpaquePointer?) {
  if let monitor = unsafe monitor { unsafe Monitor.release(monitor).close() }
}
