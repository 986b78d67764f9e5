// A Swift host under GLib's main loop, which does not know the main queue until it is told of it.
import CGLib
import ExtensionFoundation

let loop = g_main_loop_new(nil, 0)

func report(_ text: String) {
  print(text, syscall_gettid() == getpid() ? "on the main thread" : "elsewhere")
}

g_unix_fd_add(
  ExtensionMainQueue.descriptor, G_IO_IN,
  { _, _, _ in
    MainActor.assumeIsolated { ExtensionMainQueue.drain() }
    return 1
  }, nil)

Task { @MainActor in
  report("begun")
  let point = try AppExtensionPoint(identifier: "org.example.Host.Point")
  let monitor = try await AppExtensionPoint.Monitor(appExtensionPoint: point)
  report("found \(monitor.identities.map(\.localizedName).joined(separator: ", "))")
  let process = try await AppExtensionProcess(
    configuration: .init(appExtensionIdentity: monitor.identities[0]))
  let connection = try await process.makeConnection()
  report("connected")
  connection.invalidate()
  g_main_loop_quit(loop)
}
g_main_loop_run(loop)
