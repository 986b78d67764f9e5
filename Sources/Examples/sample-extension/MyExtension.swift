import ExtensionFoundation
import ExtensionKit
import SampleSDK

/// Stands for a toolkit's text.
struct Text: SceneContent {
  let text: String
  init(_ text: String) { self.text = text }
  func makePresentation(context: SceneContext) throws -> String { text }
}

@main
class MyExtension: ExampleExtension {
  required init() {}

  @AppExtensionPoint.Bind
  var boundAppExtensionPoint: AppExtensionPoint {
    AppExtensionPoint.Identifier(host: "com.example.hostapp", name: "GreetingUI")
  }

  var body: some ExampleAppExtensionScene {
    ExampleScene {
      Text("Scene 1!")
    }
    SecondScene {
      Text("Scene 2!")
    }
  }
}
