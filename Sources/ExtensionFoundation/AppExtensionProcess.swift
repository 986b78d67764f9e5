/// A running extension, as its host sees it. Any thread may use it. Letting go of the last copy invalidates it.
public struct AppExtensionProcess: Sendable {
  /// What to run, and whom to tell when it ends.
  public struct Configuration: Sendable {
    /// The extension, as a monitor found it.
    public var appExtensionIdentity: AppExtensionIdentity
    /// The scene that it is for; nil for the extension as a whole. The way to a scene until `HostSceneController`.
    public var sceneID: String?
    /// The extension ended before this host was done with it. Called once for each end (so once at most, unless
    /// `restartsAfterCrash`), on a thread of the process's own, and not after `invalidate()`.
    public var onInterruption: @Sendable (EndReason) -> Void
    /// Whether to start the extension again when it ended by nobody's decision: it crashed, exited or was killed. Its
    /// connections are gone; make new ones when `onRestart` has said that it is back.
    ///
    /// The first try comes after 0.2 s, each further one after twice as long, 30 s at most. It ends when the broker says
    /// that the extension may not be used: it is quarantined, disabled, changed or gone.
    public var restartsAfterCrash = false
    /// With `restartsAfterCrash`: the extension is back and `makeConnection()` works again, or it does not come back, and
    /// why. Called once after each `onInterruption`, on the same thread, and not after `invalidate()`.
    public var onRestart: @Sendable (Result<Void, AppExtensionError>) -> Void = { _ in }

    /// A configuration whose closure gets the reason of the end.
    public init(
      appExtensionIdentity: AppExtensionIdentity, sceneID: String? = nil,
      onInterruption: @escaping @Sendable (EndReason) -> Void
    ) {
      self.appExtensionIdentity = appExtensionIdentity
      self.sceneID = sceneID
      self.onInterruption = onInterruption
    }

    /// A configuration whose closure wants no reason; without one, nobody is told.
    public init(
      appExtensionIdentity: AppExtensionIdentity, sceneID: String? = nil,
      onInterruption: @escaping @Sendable () -> Void = {}
    ) {
      self.init(appExtensionIdentity: appExtensionIdentity, sceneID: sceneID) { _ in onInterruption() }
    }
  }

  private let use: Use

  /// Starts the extension if it does not run, and returns when it can be connected to.
  /// - Throws: `AppExtensionError`, with the last lines of the extension's standard error where it could not start.
  public init(configuration: Configuration) async throws {
    use = try await Blocking.run { try Use(configuration) }
  }

  /// Names this use of the extension; 'extctl' prints the same. Another one after a restart.
  public var activationID: String { use.activationID }

  /// A new connection to the extension, or to the scene that this is for. Blocks until it has answered.
  /// - Throws: `AppExtensionError`: `connectionRejected` with its reason, `activationEnded`, …
  public func makeConnection() throws -> AppExtensionConnection { try use.connect() }

  /// The same without blocking: waits for the answer on a thread of its own.
  public func makeConnection() async throws -> AppExtensionConnection {
    try await Blocking.run { [use] in try use.connect() }
  }

  /// For ExtensionKit: a connection to what is shown. Blocks.
  package func show() throws -> Use.Shown { try use.show() }

  /// Ends the use of the extension. Its process ends when no host uses it any more.
  public func invalidate() { use.invalidate() }
}
