// Names that cannot exist here: the compiler tells whoever brings code from macOS what to write instead.
// docs/differences.md has a row for each of them; run-names-tests compares.

@available(*, unavailable, renamed: "AppExtensionConnection")
public typealias NSXPCConnection = AppExtensionConnection

@available(*, unavailable, renamed: "AppExtensionConnection.Interface")
public typealias NSXPCInterface = AppExtensionConnection.Interface

@available(*, unavailable, renamed: "AppExtensionConfiguration")
public typealias NSXPCListener = any AppExtensionConfiguration

@available(*, unavailable, renamed: "AppExtensionConfiguration")
public typealias NSXPCListenerDelegate = AppExtensionConfiguration

@available(*, unavailable, renamed: "AppExtensionConnection")
public typealias XPCSession = AppExtensionConnection

@available(*, unavailable, renamed: "AppExtensionConfiguration")
public typealias XPCListener = any AppExtensionConfiguration

extension AppExtensionConnection {
  @available(*, unavailable, renamed: "remoteObject(as:)")
  public var remoteObjectInterface: Interface? {
    get { fatalError() }
    set { fatalError() }
  }

  @available(*, unavailable, renamed: "remoteObject(as:)")
  public var remoteObjectProxy: Any { fatalError() }

  @available(*, unavailable, renamed: "remoteObject(as:)")
  public func remoteObjectProxyWithErrorHandler(_ handler: @escaping (any Error) -> Void) -> Any {
    fatalError()
  }

  @available(*, unavailable, renamed: "remoteObject(as:)")
  public func synchronousRemoteObjectProxyWithErrorHandler(
    _ handler: @escaping (any Error) -> Void
  ) -> Any { fatalError() }

  @available(*, unavailable, renamed: "resume()")
  public func activate() {}

  @available(*, unavailable, message: "resume() is final; invalidate() ends the connection")
  public func suspend() {}
}

extension ConnectionHandler {
  @available(*, unavailable, renamed: "init(scenes:onConnection:)")
  @_disfavoredOverload
  public nonisolated init(
    onSessionRequest: @escaping @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision
  ) { fatalError() }
}

extension AppExtensionIdentity {
  @available(*, unavailable, renamed: "AppExtensionPoint.Monitor.Changes")
  public typealias Identities = AppExtensionPoint.Monitor.Changes

  @available(*, unavailable, renamed: "AppExtensionPoint.Monitor.init(appExtensionPoint:)")
  public static func matching(appExtensionPointIDs: String...) throws -> AppExtensionPoint.Monitor.Changes {
    fatalError()
  }

  @available(*, unavailable, renamed: "AppExtensionPoint.Monitor.State")
  public typealias Availability = AppExtensionPoint.Monitor.State

  @available(*, unavailable, renamed: "AppExtensionPoint.Monitor.changes")
  public static var availabilityUpdates: AppExtensionPoint.Monitor.Changes { fatalError() }
}

extension AppExtensionProcess {
  @available(*, unavailable, renamed: "makeConnection()")
  public func makeXPCConnection() throws -> AppExtensionConnection { fatalError() }

  @available(*, unavailable, renamed: "makeConnection()")
  public func makeXPCSession() throws -> AppExtensionConnection { fatalError() }
}
