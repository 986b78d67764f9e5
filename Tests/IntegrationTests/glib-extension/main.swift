// An extension in Swift under GLib's main loop.
import CGLib
import ExtensionFoundation

final class GLibLoop: ExtensionMainLoop {
  private let loop = g_main_loop_new(nil, 0)
  private var handler: (@MainActor () -> Void)?

  func watch(_ descriptor: Int32, handler: @escaping @MainActor () -> Void) {
    self.handler = handler
    g_unix_fd_add(
      descriptor, G_IO_IN,
      { _, _, loop in
        MainActor.assumeIsolated {
          guard let loop else { return }
          Unmanaged<GLibLoop>.fromOpaque(loop).takeUnretainedValue().handler?()
        }
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func run() { g_main_loop_run(loop) }
  func stop() { g_main_loop_quit(loop) }
}

final class GLibExtension: AppExtension {
  let mainLoop: (any ExtensionMainLoop)? = GLibLoop()
  /// How often GLib itself called back.
  var ticks = 0

  init() {
    g_timeout_add(
      1,
      { program in
        MainActor.assumeIsolated {
          guard let program else { return }
          Unmanaged<GLibExtension>.fromOpaque(program).takeUnretainedValue().ticks += 1
        }
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  var configuration: ConnectionHandler {
    ConnectionHandler { connection in
      Task { @MainActor in
        for await line in connection.lines {
          while self.ticks == 0 { await Task.yield() }
          let place = syscall_gettid() == getpid() ? "on the main thread" : "elsewhere"
          try? connection.send(line: "\(line) \(place) of GLib")
        }
      }
      return true
    }
  }

  func extensionWillTerminate() { print("will terminate") }
}

try GLibExtension.main()
