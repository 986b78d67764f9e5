internal import ExtensionFoundation

/// What a scene shows: the place of SwiftUI's `View`, with the life of its representables.
///
/// It is made for hosts that show the scene: once for each instance, soon after the first connection to it was accepted.
/// `GTKContent` of the module ExtensionKitGTKContent shows GTK's widgets.
@MainActor
public protocol SceneContent {
  /// What is shown: a toolkit's widget, or a text. Void where there is nothing to keep.
  associatedtype Presentation

  /// Makes what is shown. Called once for each instance of the scene. An error is printed to standard error, and the scene
  /// stays empty.
  func makePresentation(context: SceneContext) throws -> Presentation
  /// Something of the context has changed, such as the tint. The default does nothing.
  func updatePresentation(_ presentation: Presentation, context: SceneContext)
  /// The instance ends: nothing of it may stay on screen. The default does nothing.
  static func dismantlePresentation(_ presentation: Presentation)
}

extension SceneContent {
  public func updatePresentation(_ presentation: Presentation, context: SceneContext) {}
  public static func dismantlePresentation(_ presentation: Presentation) {}

  /// Makes it, and has the context keep it until the instance ends.
  func present(in context: SceneContext) throws {
    let presentation = try makePresentation(context: context)
    context.keep(
      update: { updatePresentation(presentation, context: $0) },
      dismantle: { Self.dismantlePresentation(presentation) })
  }
}

/// Shows nothing: for a scene that only talks.
public struct EmptyContent: SceneContent {
  /// Has nothing to set.
  public init() {}
  public func makePresentation(context: SceneContext) {}
}
