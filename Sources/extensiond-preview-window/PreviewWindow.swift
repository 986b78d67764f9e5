import CGTK
import CSceneView
import GTKSupport
import LinuxSystem
import SceneCompositorC

/// Shows the scene on the Wayland connection that it inherits as descriptor 3, in a window, as long as there is one.
@main
struct PreviewWindow {
  @MainActor
  static func main() {
    Signals.ignorePipe()
    var (token, size): (String?, [Int32]) = (nil, [640, 400])
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch (argument, arguments.popFirst()) {
      case ("--token", let value?): token = value
      case ("--size", let value?): size = value.split(separator: "x").compactMap { Int32($0) }
      default: fail("what is '\(argument)'?", status: 64)
      }
    }
    guard size.count == 2, size.allSatisfy({ (1...4096).contains($0) }) else {
      fail("--size is WIDTHxHEIGHT, such as 640x400, at most 4096x4096", status: 64)
    }
    guard let display = FileDescriptor.inherited(3) else {
      fail("descriptor 3 is the connection; 'extctl preview' starts this program", status: 64)
    }
    guard gtk_init_check() != 0 else {
      fail("there is no screen: DISPLAY and WAYLAND_DISPLAY name none; use --headless", status: 69)
    }
    show(display.take(), token, size)
  }

  @MainActor
  private static func show(_ display: CInt, _ token: String?, _ size: [Int32]) {
    guard let view = extk_scene_view_new() else { fail("GTK makes no view", status: 70) }
    let loop = g_main_loop_new(nil, 0)
    let window: UnsafeMutablePointer<GtkWidget> = gtk_window_new()
    gtk_window_set_title(window.cast(), "Preview")
    gtk_window_set_default_size(window.cast(), size[0], size[1])
    gtk_window_set_child(window.cast(), view)
    window.on("destroy") { g_main_loop_quit(loop) }
    view.on("notify::title") {
      guard let title = extk_scene_view_get_title(view.opaque), title[0] != 0 else { return }
      gtk_window_set_title(window.cast(), title)
    }
    view.on("will-deactivate") { g_main_loop_quit(loop) }
    var error: UnsafeMutablePointer<GError>?
    guard extk_scene_view_show_scene(view.opaque, display, "preview", token, &error) != 0 else {
      fail(error.map { String(cString: $0.pointee.message) } ?? "the scene cannot be shown", status: 1)
    }
    gtk_window_present(window.cast())
    gtk_widget_grab_focus(view)
    g_main_loop_run(loop)
  }

  private static func fail(_ message: String, status: CInt) -> Never {
    CurrentProcess.printError("extctl preview: \(message)")
    CurrentProcess.exit(status)
  }
}
