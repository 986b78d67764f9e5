import ExtensionFoundation

// error: type 'Greeter' does not conform to protocol 'AppExtension'
final class Greeter: AppExtension {
  @AppExtensionPoint.Bind
  var boundAppExtensionPoint: AppExtensionPoint {
    AppExtensionPoint.Identifier(host: "org.example.Editor", name: "Greeting")
  }
}
