import ExtensionFoundation
import Greeting

struct Clock: Sendable {
  func greet(name: String) async throws -> String { name }
}

func export(on connection: AppExtensionConnection) {
  // error: does not conform to expected type
  connection.export(Clock(), as: GreetingInterface.self)
}
