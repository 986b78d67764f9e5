import CGTK
import ExtensionKitGTKContent

typealias Widget = UnsafeMutablePointer<GtkWidget>

@MainActor
enum Widgets {
  /// The window of the first scene, while there is one.
  @safe private static var question: UnsafeMutablePointer<GtkWindow>?

  /// Asks in a modal dialog; has two more places for the keyboard.
  static func question(_ scene: GTKScene) -> Widget {
    let (box, window) = unsafe (column("#336699"), scene.window)
    unsafe question = window
    unsafe gtk_box_append(cast(box), button("Ask") { ask() })
    unsafe gtk_box_append(cast(box), button("Nothing") {})
    scene.onEnd = { question = nil }
    return unsafe box
  }

  /// Hides the first scene's window, and shows it again. The second button is in the colour of what is suggested.
  static func toggle() -> Widget {
    let (box, suggested) = unsafe (column("#993333"), button("Nothing") {})
    unsafe gtk_box_append(
      cast(box),
      button("Hide or show") {
        guard let window = question else { return }
        let widget: Widget = unsafe cast(window)
        unsafe gtk_widget_set_visible(widget, gtk_widget_get_visible(widget) == 0 ? 1 : 0)
      })
    unsafe gtk_widget_add_css_class(suggested, "suggested-action")
    unsafe gtk_box_append(cast(box), suggested)
    return unsafe box
  }

  private static func ask() {
    guard let window = question else { return }
    let dialog: UnsafeMutablePointer<GtkWindow> = unsafe cast(gtk_window_new())
    unsafe gtk_window_set_transient_for(dialog, window)
    unsafe gtk_window_set_modal(dialog, 1)
    unsafe gtk_window_set_child(dialog, column("#33aa33"))
    unsafe gtk_window_present(dialog)
  }

  // MARK: GTK in Swift

  /// In C a cast to the class that one knows.
  private static func cast<From, To>(_ pointer: UnsafeMutablePointer<From>) -> UnsafeMutablePointer<To> {
    unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: To.self)
  }

  /// A box of one colour.
  private static func column(_ colour: String) -> Widget {
    guard let box = unsafe gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let style = unsafe gtk_css_provider_new()
    else { fatalError("GTK makes no box") }
    unsafe gtk_css_provider_load_from_data(style, "box { background: \(colour); }", -1)
    unsafe gtk_style_context_add_provider(
      gtk_widget_get_style_context(box), OpaquePointer(style), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    unsafe g_object_unref(style)
    unsafe gtk_widget_set_size_request(box, 120, 80)
    return unsafe box
  }

  private static func button(_ label: String, _ action: @escaping @MainActor () -> Void) -> Widget {
    guard let button = unsafe gtk_button_new_with_label(label) else { fatalError("GTK makes no button") }
    let clicked: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, context in
      guard let context = unsafe context else { return }
      unsafe Unmanaged<Action>.fromOpaque(context).takeUnretainedValue().run()
    }
    let forget: GClosureNotify = { context, _ in
      guard let context = unsafe context else { return }
      unsafe Unmanaged<Action>.fromOpaque(context).release()
    }
    unsafe g_signal_connect_data(
      button, "clicked", unsafeBitCast(clicked, to: GCallback.self),
      Unmanaged.passRetained(Action(action)).toOpaque(), forget, GConnectFlags(0))
    return unsafe button
  }

  private final class Action: Sendable {
    private let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) { self.body = body }

    /// GTK calls on the main thread.
    func run() { MainActor.assumeIsolated { body() } }
  }
}
