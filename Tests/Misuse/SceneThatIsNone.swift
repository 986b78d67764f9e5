import ExtensionFoundation
import ExtensionKit

struct Scenes: AppExtensionScene {
  var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: "Main") {
      EmptyContent()
    } onConnection: { _ in
      true
    }
    // error: 'String' conform to 'AppExtensionScene'
    "Second"
  }
}
