/// What a scene shows: the place of SwiftUI's `View`, with the life of its representables.
///
/// Nothing is on screen yet: until there are surfaces, no presentation is made.
@MainActor
public protocol SceneContent {
  /// What is shown: a toolkit's widget, or a text. Void where there is nothing to keep.
  associatedtype Presentation

  /// Makes what is shown. Called once for each instance of the scene.
  func makePresentation(context: SceneContext) throws -> Presentation
  /// Size, scale or appearance have changed. The default does nothing.
  func updatePresentation(_ presentation: Presentation, context: SceneContext)
  /// The host is about to let go of the instance. The default does nothing.
  static func dismantlePresentation(_ presentation: Presentation)
}

extension SceneContent {
  public func updatePresentation(_ presentation: Presentation, context: SceneContext) {}
  public static func dismantlePresentation(_ presentation: Presentation) {}
}

/// Shows nothing: for a scene that only talks.
public struct EmptyContent: SceneContent {
  /// Has nothing to set.
  public init() {}
  public func makePresentation(context: SceneContext) {}
}

/// One instance of a scene, as its contents see it.
@MainActor
public final class SceneContext {
  /// The scene's name.
  public let sceneID: String
  /// The use of the extension that shows it. 'extctl' prints the same.
  public let activationID: String

  init(sceneID: String, activationID: String) {
    self.sceneID = sceneID
    self.activationID = activationID
  }
}
