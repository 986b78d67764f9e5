import CGTK
import GTKSupport

/// Asks whether exactly this is approved.
@MainActor
enum ApprovalWindow {
  static func present(
    over parent: Widget, name: String, text: String, approve: @escaping @MainActor () -> Void
  ) {
    let window: Widget = gtk_window_new()
    let box: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
    let scroller: Widget = gtk_scrolled_window_new()
    let label: Widget = gtk_label_new(text)
    let buttons: Widget = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)
    let cancel: Widget = gtk_button_new_with_mnemonic("_Cancel")
    let accept: Widget = gtk_button_new_with_mnemonic("_Approve exactly this")
    gtk_label_set_wrap(label.opaque, 1)
    gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
    gtk_label_set_xalign(label.opaque, 0)
    gtk_widget_add_css_class(label, "monospace")
    gtk_scrolled_window_set_child(scroller.opaque, label)
    gtk_widget_set_vexpand(scroller, 1)
    gtk_widget_set_halign(buttons, GTK_ALIGN_END)
    gtk_widget_add_css_class(accept, "suggested-action")
    for child in [cancel, accept] { gtk_box_append(buttons.cast(), child) }
    for child in [scroller, buttons] { gtk_box_append(box.cast(), child) }
    for set in [gtk_widget_set_margin_start, gtk_widget_set_margin_end, gtk_widget_set_margin_top] {
      set(box, 12)
    }
    gtk_widget_set_margin_bottom(box, 12)
    gtk_window_set_title(window.cast(), "Approve \(name)?")
    gtk_window_set_default_size(window.cast(), 640, 420)
    gtk_window_set_transient_for(window.cast(), parent.cast())
    gtk_window_set_modal(window.cast(), 1)
    gtk_window_set_child(window.cast(), box)
    cancel.on("clicked") { gtk_window_destroy(window.cast()) }
    let start = g_get_monotonic_time()
    accept.on("clicked") {
      // Nobody approves what was not there to be read: a click that was meant for what was there before does nothing.
      guard g_get_monotonic_time() - start > 1_000_000 else { return }
      gtk_window_destroy(window.cast())
      approve()
    }
    // A key that was meant for what was there before approves nothing.
    gtk_widget_grab_focus(cancel)
    gtk_window_present(window.cast())
  }
}
