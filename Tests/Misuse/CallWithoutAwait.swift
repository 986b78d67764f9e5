import ExtensionFoundation
import Greeting

func greet(over connection: AppExtensionConnection) async throws -> String {
  let greeter = connection.remoteObject(as: GreetingInterface.self)
  // error: expression is 'async' but is not marked with 'await'
  return try greeter.greet(name: "Ada")
}
