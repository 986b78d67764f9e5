internal import CWayland

/// A buffer that a surface was given, until it is used: the client may destroy it before.
@safe final class ClientBuffer {
  @safe private var buffer: OpaquePointer?
  @safe private var listener: UnsafeMutablePointer<cwayland_listener>?

  init(_ buffer: OpaquePointer) {
    self.buffer = unsafe buffer
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    listener = unsafe cwayland_listen(
      buffer,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<ClientBuffer>.fromOpaque(context).takeUnretainedValue().buffer = nil
      }, context)
  }

  deinit { if let listener { unsafe cwayland_end_listening(listener) } }

  /// The client may write into it again.
  func release() {
    if let buffer { unsafe wl_buffer_send_release(buffer) }
  }

  /// What is known of pixels in shared memory.
  struct Shape {
    let width: Int
    let height: Int
    let stride: Int
    let isOpaque: Bool
  }

  /// nil where the client has destroyed it, or it is no memory.
  var shape: Shape? {
    guard let buffer, let memory = unsafe wl_shm_buffer_get(buffer) else { return nil }
    return unsafe Shape(
      width: Int(wl_shm_buffer_get_width(memory)), height: Int(wl_shm_buffer_get_height(memory)),
      stride: Int(wl_shm_buffer_get_stride(memory)),
      isOpaque: wl_shm_buffer_get_format(memory) == WL_SHM_FORMAT_XRGB8888.rawValue)
  }

  var isDestroyed: Bool { unsafe buffer == nil }

  /// Lets `body` read the pixels. A client that has cut the memory meanwhile is disconnected, and zeros are read: the
  /// library catches SIGBUS between these two calls.
  func read(_ body: (UnsafeRawPointer) -> Void) {
    guard let buffer, let memory = unsafe wl_shm_buffer_get(buffer) else { return }
    unsafe wl_shm_buffer_begin_access(memory)
    if let data = unsafe wl_shm_buffer_get_data(memory) { unsafe body(UnsafeRawPointer(data)) }
    unsafe wl_shm_buffer_end_access(memory)
  }
}
