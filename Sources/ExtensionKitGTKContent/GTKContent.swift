public import CGTK
public import ExtensionKit

/// GTK's widgets as what a scene shows, in a window for each instance.
///
/// GTK begins with the first one. It draws on the display of the host that shows the extension, and works on the main thread
/// in GLib's loop (`GTKMainLoop`).
@safe
public struct GTKContent: SceneContent {
  @safe private let make: @MainActor (GTKScene) throws -> UnsafeMutablePointer<GtkWidget>

  /// Contents of one widget.
  /// - Parameter make: Makes the widget that fills the scene. Called once for each instance, on the main thread. Its window is
  ///   the scene's; what it opens over the scene it gives that as its parent (`gtk_window_set_transient_for`).
  @safe
  public init(_ make: @escaping @MainActor (GTKScene) throws -> UnsafeMutablePointer<GtkWidget>) {
    unsafe self.make = make
  }

  /// Makes the window, has the closure make what fills it, and shows both.
  public func makePresentation(context: SceneContext) throws -> GTKScene {
    let scene = try GTKScene(context)
    do { unsafe scene.show(try make(scene)) } catch {
      scene.dismantle()
      throw error
    }
    return scene
  }

  /// Gives GTK the host's tint, and calls `onUpdate`.
  public func updatePresentation(_ scene: GTKScene, context: SceneContext) {
    GTKTint.apply(context.tint)
    scene.onUpdate?()
  }

  /// Destroys the window and all that stands over it.
  public static func dismantlePresentation(_ scene: GTKScene) { scene.dismantle() }
}
