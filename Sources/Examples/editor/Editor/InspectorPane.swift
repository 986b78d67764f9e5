import CGTK
import ExtensionFoundation
import ExtensionKit
import ExtensionKitGTK
import Observation

/// The extensions, of which one is seen at a time; and how many wait for approval.
@MainActor
final class InspectorPane {
  let widget: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
  private let switcher: Widget = gtk_stack_switcher_new()
  private let stack: Widget = gtk_stack_new()
  private let waiting: Widget = gtk_label_new("")
  private var inspectors: [String: Inspector] = [:]
  private var text = ""
  private var monitor: AppExtensionPoint.Monitor?

  init() {
    gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
    gtk_widget_set_halign(switcher, GTK_ALIGN_CENTER)
    gtk_widget_set_margin_top(switcher, 6)
    gtk_widget_set_vexpand(stack, 1)
    gtk_widget_set_size_request(stack, 280, 200)
    gtk_label_set_wrap(waiting.opaque, 1)
    for child in [switcher, stack, waiting] { gtk_box_append(widget.cast(), child) }
    // The system's extensions are looked for while the window is there already.
    Task {
      do { try await follow() } catch { show(state: "Extensions cannot be used: \(error)") }
    }
  }

  /// Shows the text to each inspector.
  func show(text: String) {
    self.text = text
    for inspector in inspectors.values { inspector.show(text: text) }
  }

  private func follow() async throws {
    let monitor = try await AppExtensionPoint.Monitor(appExtensionPoint: .inspector)
    self.monitor = monitor
    for await (identities, state) in Observations({ (monitor.identities, monitor.state) }) {
      update(identities)
      let count = state.unapprovedCount
      show(
        state: count == 0 ? "" : "\(count) more wait\(count == 1 ? "s" : "") for your approval: see Settings."
      )
    }
  }

  private func update(_ identities: [AppExtensionIdentity]) {
    let present = Set(identities.map(\.id))
    for (id, inspector) in inspectors where !present.contains(id) {
      gtk_stack_remove(stack.opaque, inspector.widget)
      inspectors[id] = nil
      say("gone \(id)")
    }
    for identity in identities where inspectors[identity.id] == nil {
      let inspector = Inspector(identity)
      inspectors[identity.id] = inspector
      gtk_stack_add_titled(stack.opaque, inspector.widget, identity.id, identity.localizedName)
      inspector.show(text: text)
    }
  }

  private func show(state: String) {
    gtk_label_set_text(waiting.opaque, state)
    gtk_widget_set_visible(waiting, state.isEmpty ? 0 : 1)
    if !state.isEmpty { say(state) }
  }
}

/// For whoever started it in a terminal.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
