internal import CWayland

/// A client waits for it before it draws again (`wl_surface.frame`).
final class FrameCallback: WaylandObject {
  func send(_ time: UInt32) {
    guard let resource else { return }
    unsafe wl_callback_send_done(resource, time)
    destroyResource()
  }
}
