import CGTK

/// The text, and the pane beside it.
@MainActor
final class EditorWindow {
  let widget: Widget
  private let inspector = InspectorPane()
  private let text: Widget

  /// - Parameter path: A file to begin with; an empty text without one.
  init(path: String?) {
    widget = gtk_window_new()
    text = gtk_text_view_new()
    gtk_window_set_title(widget.cast(), path?.split(separator: "/").last.map(String.init) ?? "Untitled")
    gtk_window_set_default_size(widget.cast(), 900, 540)
    gtk_window_set_titlebar(widget.cast(), makeHeader())
    gtk_window_set_child(widget.cast(), makePanes())
    var read: UnsafeMutablePointer<gchar>?
    if let path, g_file_get_contents(path, &read, nil, nil) != 0, let bytes = read {
      gtk_text_buffer_set_text(buffer, String(cString: bytes), -1)
      g_free(bytes)
    }
    connect(UnsafeMutableRawPointer(buffer), "changed") { [unowned self] in
      self.inspector.show(text: self.content)
    }
    inspector.show(text: content)
    gtk_widget_grab_focus(text)
    gtk_window_present(widget.cast())
  }

  private var buffer: UnsafeMutablePointer<GtkTextBuffer> { gtk_text_view_get_buffer(text.cast()) }

  private var content: String {
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    guard let text = gtk_text_buffer_get_text(buffer, &start, &end, 0) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  private func makeHeader() -> Widget {
    let header: Widget = gtk_header_bar_new()
    let settings: Widget = gtk_button_new_with_mnemonic("_Settings")
    settings.on("clicked") { [unowned self] in SettingsWindow.present(over: self.widget) }
    gtk_header_bar_pack_end(header.opaque, settings)
    return header
  }

  private func makePanes() -> Widget {
    let panes: Widget = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL)
    let scroller: Widget = gtk_scrolled_window_new()
    gtk_text_view_set_monospace(text.cast(), 1)
    gtk_text_view_set_left_margin(text.cast(), 12)
    gtk_text_view_set_top_margin(text.cast(), 12)
    gtk_text_view_set_wrap_mode(text.cast(), GTK_WRAP_WORD)
    gtk_scrolled_window_set_child(scroller.opaque, text)
    gtk_paned_set_start_child(panes.opaque, scroller)
    gtk_paned_set_end_child(panes.opaque, inspector.widget)
    gtk_paned_set_shrink_end_child(panes.opaque, 0)
    gtk_paned_set_position(panes.opaque, 520)
    return panes
  }
}
