import ExtensionFoundation

// error: 'NSXPCConnection' has been renamed to 'AppExtensionConnection'
func accept(_ connection: NSXPCConnection) {
  // error: 'NSXPCInterface' has been renamed to 'AppExtensionConnection.Interface'
  _ = NSXPCInterface.self
}

func connect(to process: AppExtensionProcess) throws {
  // error: 'makeXPCConnection()' has been renamed to 'makeConnection()'
  _ = try process.makeXPCConnection()
}
