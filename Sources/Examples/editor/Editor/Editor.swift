// A text editor whose side pane belongs to others: what extensions show there runs in their own processes.
import CGTK
import ExtensionFoundation
import ExtensionKitGTK
import LinuxSystem

extension AppExtensionPoint {
  /// Tools that stand beside the text.
  @Definition
  static var inspector: AppExtensionPoint {
    Name("Inspector")
    UserInterface(true)
    Scope(restriction: .none)
  }
}

@main
struct Editor {
  @MainActor
  static func main() throws {
    Signals.ignorePipe()
    AppExtensionHost.identifier = "io.extensiond.example.editor"
    guard gtk_init_check() != 0 else {
      throw EditorError(description: "there is no screen; set DISPLAY or WAYLAND_DISPLAY")
    }
    ExtensionMainQueue.attachToGLib()
    let loop = g_main_loop_new(nil, 0)
    let window = EditorWindow(path: CommandLine.arguments.dropFirst().first)
    window.widget.on("destroy") { g_main_loop_quit(loop) }
    g_main_loop_run(loop)
    _ = window
  }
}

struct EditorError: Error, CustomStringConvertible {
  let description: String
}
