import CGTK
import ExtensionControl
import GTKSupport
import LinuxSystem

/// The extensions in a window: what there is, what each asks for, and switches to decide with.
@main
struct Browser {
  private static let help = """
    extensiond-browser [--host HOST | --point POINT] [EXTENSION]

    Shows the extensions that are there, all of them or those of one host or point, in a window, and lets you
    approve and disable them. 'extctl browse' does the same in a terminal.

    """

  @MainActor
  static func main() {
    Signals.ignorePipe()
    var (host, point, name): (String?, String?, String?) = (nil, nil, nil)
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--help", "-h":
        print(help, terminator: "")
        CurrentProcess.exit(0)
      case "--host", "--point":
        guard let value = arguments.popFirst() else {
          fail("\(argument) needs a name; see --help", status: 64)
        }
        if argument == "--host" { host = value } else { point = value }
      case "--": name = arguments.popFirst()
      case _ where argument.hasPrefix("-"):
        fail("there is no option \(argument); see --help", status: 64)
      default: name = argument
      }
    }
    guard gtk_init_check() != 0 else {
      fail("there is no screen: DISPLAY and WAYLAND_DISPLAY name none; use 'extctl browse'", status: 69)
    }
    let review: Review
    do { review = try Review(host: host, point: point) } catch { fail("\(error)", status: 69) }
    let loop = g_main_loop_new(nil, 0)
    let window = BrowserWindow(review, showing: name)
    window.widget.on("destroy") { g_main_loop_quit(loop) }
    g_main_loop_run(loop)
    withExtendedLifetime(window) {}
  }

  static func fail(_ message: String, status: CInt) -> Never {
    CurrentProcess.printError("extensiond-browser: \(message)")
    CurrentProcess.exit(status)
  }
}
