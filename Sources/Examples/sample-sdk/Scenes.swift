internal import ExtensionFoundation
public import ExtensionKit

/// Answers the host.
nonisolated public struct MySceneManager: HostInterface.Service {
  let scene: String

  public func greet(name: String) async throws -> String {
    guard name != "nobody" else { throw HostInterface.NobodyThere(name: name) }
    return "Hello, \(name), from \(scene)"
  }
}

public struct ExampleScene<Content: SceneContent>: ExampleAppExtensionScene {
  let sceneID = "GreetingScene"

  public init(content: @escaping () -> Content) {
    self.content = content
  }

  private let content: () -> Content

  public var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: sceneID) {
      content()
    } onConnection: { connection in
      connection.exportedObject = MySceneManager(scene: sceneID)
      connection.exportedInterface = .init(with: HostInterface.self)
      connection.resume()
      return true
    }
  }
}

public struct SecondScene<Content: SceneContent>: ExampleAppExtensionScene {
  public init(content: @escaping () -> Content) { self.content = content }

  private let content: () -> Content

  public var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: "SecondScene") {
      content()
    } onConnection: { connection in
      .reject(reason: "this scene takes no connections")
    }
  }
}
