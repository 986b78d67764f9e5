// An extension with two scenes in GTK: each is a window of one process. The first one's can be hidden by the second one's
// button, and asks in a modal dialog.
import CGTK
import ExtensionFoundation
import ExtensionKit
import ExtensionKitGTKContent

struct Question: AppExtensionScene {
  var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: "Question") {
      GTKContent { scene in unsafe Widgets.question(scene) }
    } onConnection: { connection in
      connection.resume()
      return true
    }
  }
}

struct Switch: AppExtensionScene {
  var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: "Switch") {
      GTKContent { _ in unsafe Widgets.toggle() }
    } onConnection: { connection in
      connection.resume()
      return true
    }
  }
}

@main
final class GTKExtension: AppExtension {
  @Bind var boundAppExtensionPoint: AppExtensionPoint {
    Identifier(host: "org.example.Host", name: "Point")
  }

  var configuration: AppExtensionSceneConfiguration { AppExtensionSceneConfiguration(self.body) }

  @AppExtensionSceneBuilder var body: some AppExtensionScene {
    Question()
    Switch()
  }
}
