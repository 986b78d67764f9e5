// Counts the editor's words, in GTK. The editor tells it the text over the scene's connection.
import CGTK
import ExtensionFoundation
import ExtensionKit
import ExtensionKitGTKContent

@main
final class WordCount: AppExtension {
  @Bind var boundAppExtensionPoint: AppExtensionPoint {
    Identifier(host: "io.extensiond.example.editor", name: "Inspector")
  }

  private let counts = Counts()

  var configuration: AppExtensionSceneConfiguration {
    AppExtensionSceneConfiguration(InspectorScene(counts: self.counts))
  }
}

struct InspectorScene: AppExtensionScene {
  let counts: Counts

  var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: "Inspector") {
      GTKContent { _ in counts.makeWidget() }
    } onConnection: { connection in
      connection.exportedObject = Inspection(counts: counts)
      connection.exportedInterface = .init(with: InspectorInterface.self)
      connection.resume()
      return true
    }
  }
}

/// Answers the editor.
struct Inspection: InspectorInterface.Service {
  let counts: Counts

  func setText(text: String) async throws { await counts.show(text) }
}

/// The newest text's numbers, and the widgets that show them.
@MainActor
final class Counts {
  private var labels: [UnsafeMutablePointer<GtkWidget>] = []

  nonisolated init() {}

  func makeWidget() -> UnsafeMutablePointer<GtkWidget> {
    let label: UnsafeMutablePointer<GtkWidget> = gtk_label_new("Nothing to count")
    gtk_widget_add_css_class(label, "title-2")
    gtk_label_set_wrap(OpaquePointer(label), 1)
    labels.append(label)
    return label
  }

  func show(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).count
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
    for label in labels {
      gtk_label_set_text(OpaquePointer(label), "\(words) words\n\(text.count) characters\n\(lines) lines")
    }
  }
}
