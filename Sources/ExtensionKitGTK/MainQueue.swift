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

/// Calls `body` for each such signal, as long as the object lives.
@MainActor
func connect(
  _ object: UnsafeMutablePointer<GtkWidget>, _ signal: String, _ body: @escaping @MainActor () -> Void
) {
  let call: @convention(c) (UnsafeMutableRawPointer) -> Void = { box in
    let box = unsafe Unmanaged<SignalBox>.fromOpaque(box).takeUnretainedValue()
    MainActor.assumeIsolated { box.body() }
  }
  unsafe g_signal_connect_data(
    object, signal, unsafeBitCast(call, to: GCallback.self),
    Unmanaged.passRetained(SignalBox(body)).toOpaque(),
    { box, _ in if let box = unsafe box { unsafe Unmanaged<SignalBox>.fromOpaque(box).release() } },
    G_CONNECT_SWAPPED)
}

private final class SignalBox: Sendable {
  let body: @MainActor () -> Void
  init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}
