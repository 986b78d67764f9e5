internal import ExtensionInterfaces
internal import LinuxSystem
internal import Synchronization

/// A running extension, as its host sees it. Letting go of the last copy invalidates it.
public struct AppExtensionProcess: Sendable {
  public struct Configuration: Sendable {
    public var appExtensionIdentity: AppExtensionIdentity
    /// The scene that it is for; nil for the extension as a whole.
    public var sceneID: String?
    /// The extension ended before this host was done with it. Called once, on a thread of its own.
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
  public init(configuration: Configuration) async throws {
    storage = try await HostConnection.perform { try Storage(configuration) }
  }

  /// A connection to the extension, or to the scene that this is for. Blocks until it has answered.
  public func makeConnection() throws -> AppExtensionConnection { try storage.connect() }

  /// Ends the use of the extension. Its process ends when no host uses it any more.
  public func invalidate() { storage.invalidate() }

  @available(*, unavailable, renamed: "makeConnection()")
  public func makeXPCConnection() throws -> AppExtensionConnection { try makeConnection() }
}

extension AppExtensionProcess {
  private final class Storage: Sendable {
    private let broker: HostConnection
    private let activation: String
    private let sceneID: String?
    private let lease: SharedDescriptor
    private let isInvalid = Mutex(false)

    init(_ configuration: Configuration) throws {
      broker = try HostConnection()
      sceneID = configuration.sceneID
      let (reply, descriptors) = try broker.call(
        BrokerInterface.Activate(
          extension: configuration.appExtensionIdentity.id, scene: configuration.sceneID))
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
        guard let self, !self.isInvalid.withLock({ $0 }) else { return }
        onInterruption(EndReason.find(activation))
      }
    }

    func connect() throws -> AppExtensionConnection {
      let (reply, descriptors) = try broker.call(BrokerInterface.Connect(activation: activation))
      guard descriptors.indices.contains(reply.connectionFileDescriptor) else {
        throw AppExtensionError(.failed, "the broker sent no connection")
      }
      return AppExtensionConnection(descriptors[reply.connectionFileDescriptor], sceneID: sceneID)
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
