import ExtensionFoundation

/// Greets, over a global connection and in two scenes: a line with a name in, a line with a greeting out.
@main
final class GreetingExtension: AppExtension {
  @Bind var boundAppExtensionPoint: AppExtensionPoint {
    Identifier(host: "io.extensiond.example.host", name: "Greeting")
  }

  var configuration: ConnectionHandler {
    ConnectionHandler(scenes: ["GreetingScene", "FarewellScene"]) { connection in
      let word = connection.sceneID == "FarewellScene" ? "Goodbye" : "Hello"
      let place = connection.sceneID.map { " in \($0)" } ?? ""
      Task {
        for await name in connection.lines { try? connection.send(line: "\(word), \(name)\(place)!") }
      }
      return true
    }
  }
}
