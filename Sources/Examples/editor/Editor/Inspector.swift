import CGTK
import ExtensionFoundation
import ExtensionKit
import ExtensionKitGTK

/// One extension in the pane. It is started when it is looked at for the first time, and stays.
@MainActor
final class Inspector: SceneViewDelegate {
  private let view = SceneView()
  private let message: Widget = gtk_label_new("")
  private let configuration: HostSceneController.Configuration
  private var proxy: InspectorInterface.Proxy?
  private var text = ""
  /// A text is on its way, and is not the newest one any more.
  private var isBusy = false
  private var isStale = false

  var widget: Widget { view.widget }

  init(_ identity: AppExtensionIdentity) {
    configuration = .init(appExtension: identity, sceneID: "Inspector")
    view.delegate = self
    view.placeholder = makePlaceholder()
    view.widget.on("map") { [unowned self] in
      if view.configuration == nil { start() }
    }
  }

  func show(text: String) {
    self.text = text
    isStale = true
    send()
  }

  private func start() {
    gtk_label_set_text(message.opaque, "\(configuration.appExtension.localizedName) is being started.")
    view.configuration = configuration
  }

  private func makePlaceholder() -> Widget {
    let box: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
    let again: Widget = gtk_button_new_with_label("Start again")
    again.on("clicked") { [unowned self] in start() }
    gtk_label_set_wrap(message.opaque, 1)
    gtk_label_set_max_width_chars(message.opaque, 32)
    gtk_widget_set_halign(again, GTK_ALIGN_CENTER)
    for child in [message, again] { gtk_box_append(box.cast(), child) }
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER)
    return box
  }

  // MARK: The scene

  func sceneViewDidActivate(_ view: SceneView, connection: AppExtensionConnection) {
    connection.resume()
    proxy = connection.remoteObject(as: InspectorInterface.self)
    isStale = true
    say("shown \(configuration.appExtension.id)")
    send()
  }

  func sceneViewWillDeactivate(
    _ view: SceneView, configuration: HostSceneController.Configuration?, error: (any Error)?
  ) {
    proxy = nil
    gtk_label_set_text(message.opaque, error.map { "\($0)" } ?? "It has ended.")
    say("ended \(self.configuration.appExtension.id)")
  }

  /// The newest text, when the one before was answered. Ordinary programs want none.
  private func send() {
    guard let proxy, isStale, !isBusy else { return }
    (isBusy, isStale) = (true, false)
    Task {
      do { try await proxy.setText(text: text) } catch { self.proxy = nil }
      isBusy = false
      send()
    }
  }
}
