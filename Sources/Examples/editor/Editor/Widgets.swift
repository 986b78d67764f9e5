// GTK's types as Swift sees them: those with fields are structures, the others opaque.
import CGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWidget> {
  /// The same object as one of a class with fields.
  func cast<Object>(to type: Object.Type = Object.self) -> UnsafeMutablePointer<Object> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }

  var opaque: OpaquePointer { OpaquePointer(self) }

  /// Calls `body` for each such signal. For those that want no answer.
  @MainActor
  func on(_ signal: String, _ body: @escaping @MainActor () -> Void) {
    connect(UnsafeMutableRawPointer(self), signal, body)
  }
}

/// GTK calls on its own thread, which is the main one.
@MainActor
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
  final class Box {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
  }
  let call: @convention(c) (UnsafeMutableRawPointer) -> Void = { box in
    let box = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue()
    MainActor.assumeIsolated { box.body() }
  }
  g_signal_connect_data(
    object, signal, unsafeBitCast(call, to: GCallback.self), Unmanaged.passRetained(Box(body)).toOpaque(),
    { box, _ in
      guard let box = box else { return }
      Unmanaged<Box>.fromOpaque(box).release()
    }, G_CONNECT_SWAPPED)
}
