import ExtensionFoundation
import Greeting

// error: does not conform to protocol
struct Greeter: GreetingInterface.Service {
  func greet(name: String) async throws -> String { name }
}
