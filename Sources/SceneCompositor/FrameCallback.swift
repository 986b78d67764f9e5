internal import CWayland

/// A client waits for it before it draws again (`wl_surface.frame`).
final class FrameCallback: WaylandObject {
  private weak var surface: Surface?

  init(_ surface: Surface) {
    self.surface = surface
    super.init(surface.compositor)
  }

  override func destroyed() { surface?.frameCount -= 1 }

  func send(_ time: UInt32) {
    guard let resource else { return }
    unsafe wl_callback_send_done(resource, time)
    destroyResource()
  }
}
