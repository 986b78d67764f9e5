import CGTK
import ExtensionControl
import ExtensionInterfaces
import GTKSupport

/// One extension: its name, a sentence, how it stands, and a switch.
@MainActor
final class BrowserRow {
  let widget: Widget = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)
  private(set) var item: Review.Item
  private let name: Widget = gtk_label_new("")
  private let summary: Widget = gtk_label_new("")
  private let standing: Widget = gtk_label_new("")
  private let icon: Widget = gtk_image_new()
  private let toggle: Widget = gtk_switch_new()
  private let decide: @MainActor (Review.Item, Bool) -> Void
  /// The switch follows what is, and nobody has pressed it.
  private var isShowing = false

  init(_ item: Review.Item, _ decide: @escaping @MainActor (Review.Item, Bool) -> Void) {
    self.item = item
    self.decide = decide
    let texts: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2)
    gtk_widget_set_hexpand(texts, 1)
    for label in [name, summary] {
      gtk_label_set_xalign(label.opaque, 0)
      gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
      gtk_box_append(texts.cast(), label)
    }
    gtk_widget_add_css_class(name, "heading")
    gtk_widget_add_css_class(summary, "dim-label")
    gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER)
    gtk_image_set_pixel_size(icon.opaque, 32)
    for child in [icon, texts, standing, toggle] { gtk_box_append(widget.cast(), child) }
    gtk_widget_set_margin_start(widget, 6)
    gtk_widget_set_margin_end(widget, 6)
    gtk_widget_set_margin_top(widget, 6)
    gtk_widget_set_margin_bottom(widget, 6)
    toggle.on("notify::active") { [unowned self] in pressed() }
    show(item)
  }

  func show(_ item: Review.Item) {
    self.item = item
    gtk_label_set_text(name.opaque, item.name)
    gtk_label_set_text(summary.opaque, item.summary)
    gtk_label_set_text(standing.opaque, item.standing)
    // Names of the theme alone: whoever reads a picture of a stranger's runs a decoder for it, and this program can approve.
    let given = item.details?.icon
    let isName = given.map { !$0.contains("/") && !$0.isEmpty } ?? false
    gtk_image_set_from_icon_name(icon.opaque, isName ? given : "application-x-addon")
    show(isOn: item.state == .enabled)
    gtk_widget_set_sensitive(toggle, item.state == .enabled || item.isApprovable ? 1 : 0)
    // What a screen reader says of the switch.
    var label = GValue()
    g_value_init(&label, GType(16 << G_TYPE_FUNDAMENTAL_SHIFT))
    g_value_set_string(&label, "Use \(item.name)")
    var property = GTK_ACCESSIBLE_PROPERTY_LABEL
    gtk_accessible_update_property_value(toggle.opaque, 1, &property, &label)
    g_value_unset(&label)
  }

  private func show(isOn: Bool) {
    isShowing = true
    gtk_switch_set_active(toggle.opaque, isOn ? 1 : 0)
    isShowing = false
  }

  /// What was decided counts, not where the switch is: it goes back until the broker has said so.
  private func pressed() {
    guard !isShowing else { return }
    let isOn = gtk_switch_get_active(toggle.opaque) != 0
    // The switch is in the middle of its own change.
    later { [weak self] in
      guard let self else { return }
      show(isOn: item.state == .enabled)
      if isOn != (item.state == .enabled) { decide(item, isOn) }
    }
  }
}
