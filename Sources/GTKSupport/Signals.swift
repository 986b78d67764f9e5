internal import CGTK

/// Calls `body` for each such signal, as long as the object lives. For signals that want no answer. GTK calls on its own thread,
/// which is the main one.
@MainActor
package func connect(
  _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
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

extension UnsafeMutablePointer<GtkWidget> {
  /// The same object as one of a class with fields.
  package func cast<Object>(to type: Object.Type = Object.self) -> UnsafeMutablePointer<Object> {
    unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }

  /// The same as one of a class without.
  package var opaque: OpaquePointer { OpaquePointer(self) }

  /// Calls `body` for each such signal.
  @MainActor
  package func on(_ signal: String, _ body: @escaping @MainActor () -> Void) {
    unsafe connect(UnsafeMutableRawPointer(self), signal, body)
  }
}

/// Calls `body` when GTK has done what it does now.
@MainActor
package func later(_ body: @escaping @MainActor () -> Void) {
  unsafe g_idle_add_full(
    G_PRIORITY_DEFAULT,
    { box in
      guard let box = unsafe box else { return 0 }
      let body = unsafe Unmanaged<SignalBox>.fromOpaque(box).takeUnretainedValue().body
      MainActor.assumeIsolated { body() }
      return 0
    }, Unmanaged.passRetained(SignalBox(body)).toOpaque(),
    { box in if let box = unsafe box { unsafe Unmanaged<SignalBox>.fromOpaque(box).release() } })
}
