internal import ExtensionInterfaces
internal import LinuxSystem
internal import Synchronization

/// A running extension, as its host sees it. Any thread may use it. Letting go of the last copy invalidates it.
public struct AppExtensionProcess: Sendable {
  /// What to run, and whom to tell when it ends.
  public struct Configuration: Sendable {
    /// The extension, as a monitor found it.
    public var appExtensionIdentity: AppExtensionIdentity
    /// The scene that it is for; nil for the extension as a whole. The way to a scene until `HostSceneController`.
    public var sceneID: String?
    /// The extension ended before this host was done with it. Called once at most, on a thread of its own, and not
    /// after `invalidate()`.
    public var onInterruption: @Sendable (EndReason) -> Void

    public init(
      appExtensionIdentity: AppExtensionIdentity, sceneID: String? = nil,
      onInterruption: @escaping @Sendable (EndReason) -> Void
    ) {
      self.appExtensionIdentity = appExtensionIdentity
      self.sceneID = sceneID
      self.onInterruption = onInterruption
    }

    public init(
      appExtensionIdentity: AppExtensionIdentity, sceneID: String? = nil,
      onInterruption: @escaping @Sendable () -> Void = {}
    ) {
      self.init(appExtensionIdentity: appExtensionIdentity, sceneID: sceneID) { _ in onInterruption() }
    }
  }

  private let storage: Storage

  /// Starts the extension if it does not run, and returns when it can be connected to.
  /// - Throws: `AppExtensionError`, with the last lines of the extension's standard error where it could not start.
  public init(configuration: Configuration) async throws {
    storage = try await Blocking.run { try Storage(configuration) }
  }

  /// Names this use of the extension; 'extctl' prints the same.
  public var activationID: String { storage.activation }

  /// A new connection to the extension, or to the scene that this is for. Blocks until it has answered.
  /// - Throws: `AppExtensionError`: `connectionRejected` with its reason, `activationEnded`, …
  public func makeConnection() throws -> AppExtensionConnection { try storage.connect() }

  /// The same without blocking: waits for the answer on a thread of its own.
  public func makeConnection() async throws -> AppExtensionConnection {
    try await Blocking.run { [storage] in try storage.connect() }
  }

  /// Ends the use of the extension. Its process ends when no host uses it any more.
  public func invalidate() { storage.invalidate() }
}

extension AppExtensionProcess {
  private final class Storage: Sendable {
    let activation: String
    private let sceneID: String?
    private let lease: SharedDescriptor
    private let isInvalid = Mutex(false)

    init(_ configuration: Configuration) throws {
      sceneID = configuration.sceneID
      let (reply, descriptors) = try Broker.call(
        BrokerInterface.Activate(extension: configuration.appExtensionIdentity.id, scene: sceneID))
      guard descriptors.indices.contains(reply.leaseFileDescriptor) else {
        throw AppExtensionError(.failed, "the broker sent no lease")
      }
      activation = reply.activation
      lease = descriptors[reply.leaseFileDescriptor]
      try watch(configuration.onInterruption)
    }

    deinit { invalidate() }

    /// The lease carries no bytes; its end is the extension's.
    private func watch(_ onInterruption: @escaping @Sendable (EndReason) -> Void) throws(Errno) {
      let lease = lease
      let activation = activation
      try startThread { [weak self] in
        _ = try? Poll.readable(lease.rawValue)
        guard self?.isValid == true else { return }
        let reason = EndReason.find(activation)
        if self?.isValid == true { onInterruption(reason) }
      }
    }

    private var isValid: Bool { !isInvalid.withLock { $0 } }

    func connect() throws -> AppExtensionConnection {
      let (reply, descriptors) = try Broker.call(BrokerInterface.Connect(activation: activation))
      guard descriptors.indices.contains(reply.connectionFileDescriptor) else {
        throw AppExtensionError(.failed, "the broker sent no connection")
      }
      return AppExtensionConnection(
        descriptors[reply.connectionFileDescriptor], activationID: activation, sceneID: sceneID)
    }

    func invalidate() {
      let first = isInvalid.withLock { value in
        defer { value = true }
        return !value
      }
      if first { Socket.shutdown(lease.descriptor) }
    }
  }
}
