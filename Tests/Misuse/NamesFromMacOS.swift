import ExtensionFoundation
import ExtensionKit

// error: 'NSXPCConnection' has been renamed to 'AppExtensionConnection'
func accept(_ connection: NSXPCConnection) {
  // error: 'NSXPCInterface' has been renamed to 'AppExtensionConnection.Interface'
  _ = NSXPCInterface.self
  // error: 'NSXPCListener' has been renamed to 'AppExtensionConfiguration'
  _ = NSXPCListener.self
}

// error: 'NSXPCListenerDelegate' has been renamed to 'AppExtensionConfiguration'
func listen(_ delegate: any NSXPCListenerDelegate) {
  // error: 'XPCListener' has been renamed to 'AppExtensionConfiguration'
  _ = XPCListener.self
}

// error: 'XPCSession' has been renamed to 'AppExtensionConnection'
func send(over session: XPCSession) {}

func greet(over connection: AppExtensionConnection) {
  // error: 'remoteObjectInterface' has been renamed to 'remoteObject(as:)'
  connection.remoteObjectInterface = nil
  // error: 'activate()' has been renamed to 'resume()'
  connection.activate()
  // error: 'remoteObjectProxy' has been renamed to 'remoteObject(as:)'
  _ = connection.remoteObjectProxy
  // error: 'remoteObjectProxyWithErrorHandler' has been renamed to 'remoteObject(as:)'
  _ = connection.remoteObjectProxyWithErrorHandler { error in print(error) }
  // error: 'synchronousRemoteObjectProxyWithErrorHandler' has been renamed to 'remoteObject(as:)'
  _ = connection.synchronousRemoteObjectProxyWithErrorHandler { error in print(error) }
  // error: 'suspend()' is unavailable: resume() is final; invalidate() ends the connection
  connection.suspend()
}

// error: 'init(onSessionRequest:)' has been renamed to 'init(scenes:onConnection:)'
let handler = ConnectionHandler(onSessionRequest: { _ in .accept })

func connect(to process: AppExtensionProcess) throws {
  // error: 'makeXPCConnection()' has been renamed to 'makeConnection()'
  _ = try process.makeXPCConnection()
  // error: 'makeXPCSession()' has been renamed to 'makeConnection()'
  _ = try process.makeXPCSession()
}

// error: 'Availability' has been renamed to 'AppExtensionPoint.Monitor.State'
func find(_ availability: AppExtensionIdentity.Availability) async throws {
  // error: 'matching(appExtensionPointIDs:)' has been replaced by 'AppExtensionPoint.Monitor.init
  _ = try AppExtensionIdentity.matching(appExtensionPointIDs: "org.example.Editor.Greeting")
  // error: 'availabilityUpdates' has been renamed to 'AppExtensionPoint.Monitor.changes'
  for await _ in AppExtensionIdentity.availabilityUpdates {}
}

// error: 'Identities' has been renamed to 'AppExtensionPoint.Monitor.Changes'
func read(_ identities: AppExtensionIdentity.Identities) {}

@MainActor
func show(_ controller: EXHostViewController) throws {
  // error: 'makeXPCConnection()' has been renamed to 'makeConnection()'
  _ = try controller.makeXPCConnection()
  // error: 'placeholderView' is unavailable: show it yourself while 'state' is .placeholder
  _ = controller.placeholderView
  // error: 'EXAppExtensionBrowserViewController' is unavailable: people use 'extctl list'
  _ = EXAppExtensionBrowserViewController()
}
