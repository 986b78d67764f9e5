internal import CGTK
public import ExtensionFoundation

extension ExtensionMainQueue {
  @MainActor private static var isAttached = false

  /// Has GLib's default main context do what `@MainActor` code waits for, as long as the program runs. Once is enough.
  @MainActor
  public static func attachToGLib() {
    guard !isAttached else { return }
    isAttached = true
    unsafe g_unix_fd_add(
      descriptor, G_IO_IN,
      { _, _, _ in
        MainActor.assumeIsolated { ExtensionMainQueue.drain() }
        return 1
      }, nil)
  }
}
