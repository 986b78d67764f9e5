internal import CWayland

/// A descriptor or a time that the compositor's own loop waits for, as long as this object is kept. Whoever keeps it lets
/// go of it before the compositor is gone.
@safe final class LoopSource {
  @safe private var source: OpaquePointer?
  private let handler: () -> Void

  /// Calls the handler whenever the descriptor can be read, or written, or its other end is closed.
  /// nil where the process has no descriptors left.
  init?(_ descriptor: CInt, writing: Bool, in compositor: SceneCompositor, handler: @escaping () -> Void) {
    self.handler = handler
    let interest = UInt32(writing ? WL_EVENT_WRITABLE : WL_EVENT_READABLE)
    source = unsafe wl_event_loop_add_fd(
      wl_display_get_event_loop(compositor.display), descriptor, interest,
      { _, _, context in unsafe LoopSource.call(context) }, Unmanaged.passUnretained(self).toOpaque())
    guard unsafe source != nil else { return nil }
  }

  /// Calls the handler once.
  init?(after time: Duration, in compositor: SceneCompositor, handler: @escaping () -> Void) {
    self.handler = handler
    source = unsafe wl_event_loop_add_timer(
      wl_display_get_event_loop(compositor.display), { context in unsafe LoopSource.call(context) },
      Unmanaged.passUnretained(self).toOpaque())
    guard let source else { return nil }
    let milliseconds = time / .milliseconds(1)
    unsafe wl_event_source_timer_update(source, CInt(max(1, min(milliseconds, 1e9))))
  }

  deinit { if let source { unsafe wl_event_source_remove(source) } }

  private static func call(_ context: UnsafeMutableRawPointer?) -> CInt {
    guard let context = unsafe context else { return 0 }
    // Kept until the handler has returned, which may let go of it.
    let source = unsafe Unmanaged<LoopSource>.fromOpaque(context).takeUnretainedValue()
    source.handler()
    return 0
  }
}
