internal import CGTK

/// The host's colour in GTK's themes. It is for all of the process: hosts have one each, and so has a process.
@MainActor
enum GTKTint {
  @safe private static var provider: UnsafeMutablePointer<GtkCssProvider>?

  static func apply(_ tint: UInt32?) {
    guard let display = unsafe gdk_display_get_default() else { return }
    if let provider {
      unsafe gtk_style_context_remove_provider_for_display(display, OpaquePointer(provider))
      unsafe g_object_unref(provider)
    }
    provider = nil
    guard let tint, let made = unsafe gtk_css_provider_new() else { return }
    unsafe provider = made
    unsafe gtk_css_provider_load_from_data(made, css(tint), -1)
    // Above the theme, below what the extension says itself.
    unsafe gtk_style_context_add_provider_for_display(
      display, OpaquePointer(made), guint(GTK_STYLE_PROVIDER_PRIORITY_SETTINGS))
  }

  /// The names are libadwaita's and those of GTK's own theme, whose rules have the colours themselves.
  private static func css(_ tint: UInt32) -> String {
    let (red, green, blue) = (tint >> 16 & 255, tint >> 8 & 255, tint & 255)
    let colour = "rgb(\(red),\(green),\(blue))"
    // By how bright people see it.
    let text = red * 299 + green * 587 + blue * 114 > 150_000 ? "rgba(0,0,0,0.8)" : "white"
    return """
      @define-color accent_color \(colour);
      @define-color accent_bg_color \(colour);
      @define-color accent_fg_color \(text);
      @define-color theme_selected_bg_color \(colour);
      @define-color theme_selected_fg_color \(text);
      button.suggested-action, switch:checked, selection, check:checked, radio:checked, row:selected,
      progressbar > trough > progress, scale > trough > highlight {
        background-image: none; background-color: \(colour); color: \(text);
      }
      """
  }
}
