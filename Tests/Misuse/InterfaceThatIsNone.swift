import ExtensionFoundation

protocol Greeting {
  func greet(name: String) async throws -> String
}

func export(on connection: AppExtensionConnection) {
  // error: type 'any Greeting' cannot conform to 'AppExtensionInterface'
  connection.exportedInterface = .init(with: (any Greeting).self)
}
