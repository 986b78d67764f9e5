public import ExtensionFoundation

/// The configuration of an extension with scenes. A connection to a scene is that scene's to decide about; one to the
/// extension as a whole goes to the configuration within, if there is one.
public struct AppExtensionSceneConfiguration: AppExtensionConfiguration {
  private let global: (any AppExtensionConfiguration)?
  private let collect: @MainActor @Sendable () -> [PrimitiveAppExtensionScene]

  /// Scenes alone: connections to the extension as a whole are rejected.
  /// - Parameter content: The scenes: an extension's `body`. Asked for each time anew.
  public nonisolated init<Content: AppExtensionScene>(
    _ content: @autoclosure @escaping @MainActor @Sendable () -> Content
  ) {
    self.init(content(), configuration: nil as ConnectionHandler?)
  }

  /// Scenes, and a configuration for connections to the extension as a whole.
  /// - Parameters:
  ///   - content: The scenes: an extension's `body`. Asked for each time anew.
  ///   - configuration: Decides about connections that are global to the extension.
  public nonisolated init<Content: AppExtensionScene, Global: AppExtensionConfiguration>(
    _ content: @autoclosure @escaping @MainActor @Sendable () -> Content, configuration: Global?
  ) {
    global = configuration
    collect = {
      var scenes: [PrimitiveAppExtensionScene] = []
      content()._collect(into: &scenes)
      return scenes
    }
  }

  /// The names of the scenes, as they are now.
  public var scenes: [String]? { collect().map(\.id) }

  /// What `decide(on:)` says, without the reason.
  public func accept(connection: AppExtensionConnection) -> Bool { decide(on: connection) == .accept }

  /// Asks the scene that the connection is for, or the configuration within. Rejects where there is neither.
  public func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    guard let sceneID = connection.sceneID else {
      return global?.decide(on: connection)
        ?? .reject(reason: "the extension takes connections to its scenes alone")
    }
    guard let scene = collect().first(where: { $0.id == sceneID }) else {
      return .reject(reason: "the extension has no scene \(sceneID)")
    }
    let decision = scene.onConnection(connection)
    if decision == .accept, connection.hasDisplay {
      SceneContext.begin(scene, for: connection.activationID)
    }
    return decision
  }
}
