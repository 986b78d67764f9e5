import ExtensionFoundation
import Greeting

func greet(over connection: AppExtensionConnection) async -> String {
  let greeter = connection.remoteObject(as: GreetingInterface.self)
  // error: call can throw, but it is not marked with 'try'
  return await greeter.greet(name: "Ada")
}
