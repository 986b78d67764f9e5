public import CExtensionKit
internal import ExtensionFoundation
internal import LinuxSystem
internal import Synchronization

/// What an `extk_activation` points to.
final class Activation: Handle, Sendable {
  private struct Storage {
    var reason: AppExtensionProcess.EndReason?
    var callback: (@Sendable (Activation, AppExtensionProcess.EndReason) -> Void)?
    var isClosed = false
  }

  let host: Host
  private let storage = Mutex(Storage())
  private let use = Mutex<AppExtensionProcess.Use?>(nil)

  /// Blocks until the extension is ready.
  init(_ host: Host, _ request: Request) throws {
    self.host = host
    let configuration = AppExtensionProcess.Configuration(
      appExtensionIdentity: AppExtensionIdentity(id: request.id), sceneID: request.scene
    ) { [weak self] reason in self?.note(reason) }
    let use = try AppExtensionProcess.Use(configuration, timeout: request.timeout)
    self.use.withLock { $0 = use }
  }

  /// What `extk_activate` is asked for.
  struct Request: Sendable {
    let id: String
    let scene: String?
    let timeout: Duration

    init(_ id: UnsafePointer<CChar>?, _ scene: UnsafePointer<CChar>?, _ timeout: CInt) {
      self.id = unsafe CText.read(id) ?? ""
      self.scene = unsafe CText.read(scene)
      self.timeout = Duration(milliseconds: timeout)
    }
  }

  func connect(timeout: Duration) throws -> SharedDescriptor {
    guard let socket = try use.withLock({ $0 })?.connect(timeout: timeout).takeSocket() else {
      throw Failure.freed
    }
    return socket
  }

  func show(timeout: Duration) throws -> Shown {
    guard let shown = try use.withLock({ $0 })?.show(timeout: timeout) else { throw Failure.freed }
    return try Shown(shown)
  }

  func close() {
    storage.withLock { $0.isClosed = true }
    use.withLock { $0.take() }?.invalidate()
  }

  // MARK: Its end

  /// On the use's thread, once.
  private func note(_ reason: AppExtensionProcess.EndReason) {
    if storage.withLock({ storage in
      storage.reason = reason
      return storage.callback != nil
    }) {
      host.post { self.tell() }
    }
  }

  func onEnd(_ callback: @escaping @Sendable (Activation, AppExtensionProcess.EndReason) -> Void) {
    if storage.withLock({ storage in
      storage.callback = callback
      return storage.reason != nil
    }) {
      host.post { self.tell() }
    }
  }

  private func tell() {
    let (reason, callback) = storage.withLock { storage in
      defer { storage.callback = nil }
      return (storage.reason, storage.isClosed ? nil : storage.callback)
    }
    if let reason, let callback { callback(self, reason) }
  }
}

extension AppExtensionProcess.EndReason {
  /// A structure for the time of the body.
  fileprivate func lend(_ body: (UnsafePointer<extk_end_reason>) -> Void) {
    var lent = unsafe extk_end_reason(
      kind: CText.copy(kind), exit_status: CInt(clamping: exitStatus ?? -1),
      signal: CInt(clamping: signal ?? 0), detail: CText.copyIfThere(detail))
    unsafe body(&lent)
    unsafe lent.kind.deallocate()
    unsafe lent.detail?.deallocate()
  }
}

extension Duration {
  /// As C says it.
  init(milliseconds: CInt) { self = milliseconds < 0 ? Broker.patience : .milliseconds(Int64(milliseconds)) }
}

extension SharedDescriptor {
  /// A number that the program closes.
  func handOver() throws(Errno) -> CInt { try descriptor.duplicate().take() }
}

@c @implementation
public func extk_activate(
  _ host: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ scene: UnsafePointer<CChar>?, _ timeout: CInt,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<extk_error>?>?
) -> OpaquePointer? {
  unsafe Failure.report(at: error, else: nil) {
    unsafe try Activation(Host.at(host), Activation.Request(id, scene, timeout)).retained()
  }
}

@c @implementation
public func extk_activate_async(
  _ host: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ scene: UnsafePointer<CChar>?, _ timeout: CInt,
  _ function: extk_activate_callback?, _ userData: UnsafeMutableRawPointer?
) {
  let host = unsafe Host.at(host)
  let request = unsafe Activation.Request(id, scene, timeout)
  let callback = unsafe Callback(function, userData)
  unsafe host.run {
    try Activation(host, request)
  } then: { activation, error in
    unsafe callback.function?(activation?.retained(), error, callback.userData)
  }
}

@c @implementation
public func extk_activation_on_end(
  _ activation: OpaquePointer?, _ function: extk_end_callback?, _ userData: UnsafeMutableRawPointer?
) {
  let callback = unsafe Callback(function, userData)
  unsafe Activation.at(activation).onEnd { activation, reason in
    unsafe reason.lend { unsafe callback.function?(activation.pointer, $0, callback.userData) }
  }
}

@c @implementation
public func extk_connect(
  _ activation: OpaquePointer?, _ timeout: CInt,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<extk_error>?>?
) -> CInt {
  unsafe Failure.report(at: error, else: -1) {
    unsafe try Activation.at(activation).connect(timeout: Duration(milliseconds: timeout)).handOver()
  }
}

@c @implementation
public func extk_connect_async(
  _ activation: OpaquePointer?, _ timeout: CInt, _ function: extk_connect_callback?,
  _ userData: UnsafeMutableRawPointer?
) {
  let activation = unsafe Activation.at(activation)
  let callback = unsafe Callback(function, userData)
  unsafe activation.host.run {
    try activation.connect(timeout: Duration(milliseconds: timeout))
  } then: { socket, error in
    guard let socket else { return unsafe callback.function?(-1, error, callback.userData) ?? () }
    do throws(Errno) {
      unsafe callback.function?(try socket.handOver(), nil, callback.userData)
    } catch {
      unsafe Failure(error).lend { unsafe callback.function?(-1, $0, callback.userData) }
    }
  }
}

@c @implementation
public func extk_activation_free(_ activation: OpaquePointer?) {
  if let activation = unsafe activation { unsafe Activation.release(activation).close() }
}
