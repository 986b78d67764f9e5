import CGTK
import ExtensionControl
import ExtensionInterfaces
import GTKSupport

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// The list, and beside it what is known of the one that is chosen.
@MainActor
final class BrowserWindow {
  let widget: Widget = gtk_window_new()
  private let review: Review
  private let list: Widget = gtk_list_box_new()
  private let details: Widget = gtk_label_new("")
  private let message: Widget = gtk_label_new("")
  /// By row, as the list has them.
  private var rows: [BrowserRow] = []
  /// By path.
  private var selection: String?
  /// An identifier or a path to begin with.
  private var wanted: String?
  private var isListing = false

  init(_ review: Review, showing name: String?) {
    self.review = review
    wanted = name
    gtk_window_set_title(widget.cast(), "Extensions")
    gtk_window_set_default_size(widget.cast(), 860, 520)
    gtk_window_set_child(widget.cast(), makeContent())
    list.on("row-selected") { [unowned self] in selected() }
    review.onList = { [unowned self] in update() }
    review.onStale = { [unowned self] in listSoon() }
    review.onMessage = { [unowned self] in gtk_label_set_text(message.opaque, $0) }
    for descriptor in review.descriptors { watch(descriptor) }
    gtk_window_present(widget.cast())
  }

  private func makeContent() -> Widget {
    let box: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
    let panes: Widget = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL)
    gtk_paned_set_start_child(panes.opaque, scrolled(list))
    gtk_paned_set_end_child(panes.opaque, scrolled(details))
    gtk_paned_set_position(panes.opaque, 400)
    gtk_widget_set_vexpand(panes, 1)
    gtk_label_set_selectable(details.opaque, 1)
    gtk_label_set_wrap(details.opaque, 1)
    gtk_label_set_wrap_mode(details.opaque, PANGO_WRAP_WORD_CHAR)
    gtk_label_set_xalign(details.opaque, 0)
    gtk_label_set_yalign(details.opaque, 0)
    gtk_widget_add_css_class(details, "monospace")
    gtk_widget_set_margin_start(details, 12)
    gtk_widget_set_margin_top(details, 12)
    gtk_widget_set_margin_bottom(message, 6)
    gtk_list_box_set_placeholder(list.opaque, gtk_label_new("No extension is here."))
    for child in [panes, message] { gtk_box_append(box.cast(), child) }
    return box
  }

  private func scrolled(_ child: Widget) -> Widget {
    let scroller: Widget = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(scroller.opaque, child)
    return scroller
  }

  // MARK: The broker

  private func watch(_ descriptor: CInt) {
    g_unix_fd_add(
      descriptor, G_IO_IN,
      { _, _, window in
        guard let window else { return 0 }
        let browser = Unmanaged<BrowserWindow>.fromOpaque(window).takeUnretainedValue()
        MainActor.assumeIsolated { browser.receive() }
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func receive() {
    do { try review.receive() } catch {
      Browser.fail("the broker has ended: \(error); 'extctl doctor' looks for the cause", status: 69)
    }
  }

  /// Events can come faster than anybody reads.
  private func listSoon() {
    guard !isListing else { return }
    isListing = true
    g_timeout_add(
      200,
      { window in
        guard let window else { return 0 }
        let browser = Unmanaged<BrowserWindow>.fromOpaque(window).takeUnretainedValue()
        MainActor.assumeIsolated {
          browser.isListing = false
          browser.review.list()
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: The list

  private func update() {
    if let wanted, let item = review.items.first(where: { $0.path == wanted || $0.identifier == wanted }) {
      selection = item.path
    }
    wanted = nil
    // Rows are kept where they are: whoever is about to press a switch presses that one.
    let paths = review.items.map(\.path)
    if paths == rows.map(\.item.path) {
      for (row, item) in zip(rows, review.items) { row.show(item) }
    } else {
      while let row = gtk_list_box_get_row_at_index(list.opaque, 0) {
        gtk_list_box_remove(list.opaque, UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self))
      }
      rows = review.items.map { item in BrowserRow(item) { [unowned self] in decide($0, $1) } }
      for row in rows { gtk_list_box_append(list.opaque, row.widget) }
      let index = rows.firstIndex { $0.item.path == selection } ?? 0
      gtk_list_box_select_row(list.opaque, gtk_list_box_get_row_at_index(list.opaque, CInt(index)))
    }
    selected()
  }

  private func selected() {
    guard let row = gtk_list_box_get_selected_row(list.opaque) else {
      return gtk_label_set_text(details.opaque, "")
    }
    let index = Int(gtk_list_box_row_get_index(row))
    guard rows.indices.contains(index) else { return }
    selection = rows[index].item.path
    let text = review.text(of: rows[index].item)
    if String(cString: gtk_label_get_text(details.opaque)) != text {
      gtk_label_set_text(details.opaque, text)
    }
  }

  // MARK: Decisions

  private func decide(_ item: Review.Item, _ isOn: Bool) {
    guard isOn else { return review.disable(item) }
    ApprovalWindow.present(over: widget, name: item.name, text: review.text(of: item)) { [unowned self] in
      review.approve(item)
    }
  }
}
