internal import CWayland

/// Fingers on the screen, as one of the client's objects (`wl_touch`).
final class TouchObject: WaylandObject {
  func down(_ finger: Int32, _ surface: Surface, _ x: Double, _ y: Double, _ time: UInt32) {
    guard let resource, let surface = surface.resource else { return }
    unsafe wl_touch_send_down(
      resource, compositor.nextSerial(), time, surface, finger, fixed(x), fixed(y))
    unsafe wl_touch_send_frame(resource)
  }

  func move(_ finger: Int32, _ x: Double, _ y: Double, _ time: UInt32) {
    guard let resource else { return }
    unsafe wl_touch_send_motion(resource, time, finger, fixed(x), fixed(y))
    unsafe wl_touch_send_frame(resource)
  }

  func up(_ finger: Int32, _ time: UInt32) {
    guard let resource else { return }
    unsafe wl_touch_send_up(resource, compositor.nextSerial(), time, finger)
    unsafe wl_touch_send_frame(resource)
  }

  func cancel() {
    if let resource { unsafe wl_touch_send_cancel(resource) }
  }

  override func destroyed() { seat.touches.removeAll { $0 === self } }

  nonisolated(unsafe) static let requests = unsafe requestTable(wl_touch_requests(release: endResource))
}
