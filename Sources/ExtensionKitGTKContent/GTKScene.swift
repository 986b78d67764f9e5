public import CGTK
internal import CSceneClient
internal import ExtensionFoundation
public import ExtensionKit

/// One instance of a scene in GTK: its window, and what the host says about it.
@MainActor
@safe
public final class GTKScene {
  /// Which scene it is, and for whom. `end()` ends it from the extension's side.
  public let context: SceneContext
  /// The scene's window. It has a window group of its own, so that a modal dialog over it leaves other scenes alone: in GTK one
  /// without a group blocks all windows of the process.
  @safe public let window: UnsafeMutablePointer<GtkWindow>
  /// Called when something of the context has changed, such as the tint.
  public var onUpdate: (@MainActor () -> Void)?
  /// Called once, when it ends: the window is there still.
  public var onEnd: (@MainActor () -> Void)?

  @safe private let group: UnsafeMutablePointer<GtkWindowGroup>
  private var hasEnded = false
  /// The program has destroyed the window by itself.
  private var isWindowGone = false
  @safe private var control: OpaquePointer?
  @safe private var widget: UnsafeMutablePointer<GtkWidget>?

  init(_ context: SceneContext) throws {
    self.context = context
    guard g_main_depth() > 0 else {
      throw AppExtensionError(
        .failed, "GLib's loop does not run; the extension needs 'var mainLoop' with a GTKMainLoop()")
    }
    guard gtk_init_check() != 0, let display = unsafe gdk_display_get_default() else {
      throw AppExtensionError(
        .displayUnavailable, "GTK finds no display; WAYLAND_SOCKET was taken by another toolkit")
    }
    guard let group = unsafe gtk_window_group_new(),
      let window = unsafe UnsafeMutableRawPointer(gtk_window_new())?.assumingMemoryBound(to: GtkWindow.self)
    else { preconditionFailure("GTK makes no window") }
    unsafe self.group = group
    unsafe self.window = window
    unsafe gtk_window_group_add_window(group, window)
    let events = unsafe cscene_events(
      tint: { scene, colour in
        unsafe assumeMainActor(scene, GTKScene.self) {
          $0.context.tint = colour == 0 ? nil : colour & 0xff_ffff
        }
      },
      focus_in: { scene, direction in
        unsafe assumeMainActor(scene, GTKScene.self) { $0.focus(isBackward: direction == 1) }
      },
      end: { scene in unsafe assumeMainActor(scene, GTKScene.self) { $0.context.end() } })
    control = unsafe cscene_make(
      UnsafeMutableRawPointer(display), context.activationID, events,
      Unmanaged.passUnretained(self).toOpaque())
    guard unsafe control != nil else {
      dismantle()
      throw AppExtensionError(
        .displayUnavailable, "the host's compositor knows nothing of scenes (extk-scene-v1, version 2)")
    }
    watchWindow()
  }

  /// Fills the window and shows it.
  func show(_ widget: UnsafeMutablePointer<GtkWidget>) {
    unsafe self.widget = widget
    unsafe gtk_window_set_child(window, widget)
    watchKeys()
    // There is a surface from here on, and it is known for the scene's before anything of it is shown.
    unsafe gtk_widget_realize(windowWidget)
    tag()
    unsafe gtk_widget_show(windowWidget)
  }

  /// Destroys the window and all that stands over it, and tells the host then.
  func dismantle() {
    guard !hasEnded else { return }
    hasEnded = true
    widget = nil
    onEnd?()
    (onEnd, onUpdate) = (nil, nil)
    unsafe g_signal_handlers_disconnect_matched(
      window, G_SIGNAL_MATCH_DATA, 0, 0, nil, nil, Unmanaged.passUnretained(self).toOpaque())
    let windows = unsafe gtk_window_group_list_windows(group)
    var next = unsafe windows
    while let item = unsafe next {
      // The scene's own comes last: what stands over it would be a window by itself for a moment.
      if let other = unsafe item.pointee.data?.assumingMemoryBound(to: GtkWindow.self), unsafe other != window
      {
        unsafe gtk_window_destroy(other)
      }
      unsafe next = item.pointee.next
    }
    unsafe g_list_free(windows)
    if !isWindowGone { unsafe gtk_window_destroy(window) }
    unsafe g_object_unref(group)
    if let control { unsafe cscene_end(control) }
    control = nil
  }

  // MARK: The window

  private var windowWidget: UnsafeMutablePointer<GtkWidget> {
    unsafe UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
  }

  private func watchWindow() {
    // A window that was hidden has a new surface.
    let mapped: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, scene in
      unsafe assumeMainActor(scene, GTKScene.self) { $0.tag() }
    }
    let closes: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean = {
      _, scene in
      unsafe assumeMainActor(scene, GTKScene.self) { $0.context.end() }
      return 1
    }
    let gone: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, scene in
      unsafe assumeMainActor(scene, GTKScene.self) {
        $0.isWindowGone = true
        $0.context.end()
      }
    }
    unsafe connect(window, "destroy", unsafeBitCast(gone, to: GCallback.self), G_CONNECT_AFTER)
    unsafe connect(window, "map", unsafeBitCast(mapped, to: GCallback.self), G_CONNECT_AFTER)
    unsafe connect(window, "close-request", unsafeBitCast(closes, to: GCallback.self), G_CONNECT_AFTER)
  }

  private func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ handler: GCallback?, _ flags: GConnectFlags
  ) {
    unsafe g_signal_connect_data(
      object, signal, handler, Unmanaged.passUnretained(self).toOpaque(), nil, flags)
  }

  private func tag() {
    guard let control,
      let surface = unsafe gtk_native_get_surface(OpaquePointer(window))
    else { return }
    unsafe cscene_tag(control, UnsafeMutableRawPointer(surface))
  }

  // MARK: The keyboard's focus

  /// What its widgets do with Tab themselves, they do. Else it goes on inside of the scene, or leaves it.
  private func watchKeys() {
    let pressed:
      @convention(c) (UnsafeMutableRawPointer?, guint, guint, GdkModifierType, UnsafeMutableRawPointer?) ->
        gboolean = {
          _, key, _, modifiers, scene in
          guard [GDK_KEY_Tab, GDK_KEY_KP_Tab, GDK_KEY_ISO_Left_Tab].contains(Int32(key)),
            modifiers.rawValue & GDK_ALT_MASK.rawValue == 0
          else { return 0 }
          let isBackward =
            Int32(key) == GDK_KEY_ISO_Left_Tab || modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0
          unsafe assumeMainActor(scene, GTKScene.self) { $0.tab(isBackward: isBackward) }
          return 1
        }
    guard let keys = unsafe gtk_event_controller_key_new() else { return }
    unsafe connect(
      UnsafeMutableRawPointer(keys), "key-pressed", unsafeBitCast(pressed, to: GCallback.self),
      GConnectFlags(0))
    unsafe gtk_widget_add_controller(widget, keys)
  }

  private func tab(isBackward: Bool) {
    guard let control, let widget else { return }
    unsafe gtk_window_set_focus_visible(window, 1)
    guard unsafe gtk_widget_child_focus(widget, Self.direction(isBackward)) == 0 else { return }
    unsafe cscene_focus_out(control, isBackward ? 1 : 0)
  }

  private func focus(isBackward: Bool) {
    guard let widget else { return }
    // GTK forgets with that who had it last.
    unsafe gtk_window_set_focus(window, nil)
    unsafe gtk_window_set_focus_visible(window, 1)
    unsafe gtk_widget_child_focus(widget, Self.direction(isBackward))
  }

  private static func direction(_ isBackward: Bool) -> GtkDirectionType {
    isBackward ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD
  }
}
