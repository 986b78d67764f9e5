internal import CWayland

/// The pointer, as one of the client's objects (`wl_pointer`).
final class PointerObject: WaylandObject {
  func enter(_ surface: Surface, _ x: Double, _ y: Double) {
    guard let resource, let surface = surface.resource else { return }
    unsafe wl_pointer_send_enter(resource, compositor.nextSerial(), surface, fixed(x), fixed(y))
    sendFrame()
  }

  func leave(_ surface: Surface) {
    guard let resource, let surface = surface.resource else { return }
    unsafe wl_pointer_send_leave(resource, compositor.nextSerial(), surface)
    sendFrame()
  }

  func move(_ x: Double, _ y: Double, _ time: UInt32) {
    guard let resource else { return }
    unsafe wl_pointer_send_motion(resource, time, fixed(x), fixed(y))
    sendFrame()
  }

  func button(_ button: UInt32, _ isDown: Bool, _ time: UInt32) {
    guard let resource else { return }
    let state = isDown ? WL_POINTER_BUTTON_STATE_PRESSED : WL_POINTER_BUTTON_STATE_RELEASED
    unsafe wl_pointer_send_button(resource, compositor.nextSerial(), time, button, state.rawValue)
    sendFrame()
  }

  func scroll(_ x: Double, _ y: Double, _ steps: (x: Int, y: Int), _ time: UInt32) {
    guard let resource else { return }
    let isWheel = steps != (0, 0)
    if has(version: 5) {
      let source = isWheel ? WL_POINTER_AXIS_SOURCE_WHEEL : WL_POINTER_AXIS_SOURCE_FINGER
      unsafe wl_pointer_send_axis_source(resource, source.rawValue)
    }
    for (axis, distance, count) in [
      (WL_POINTER_AXIS_VERTICAL_SCROLL, y, steps.y), (WL_POINTER_AXIS_HORIZONTAL_SCROLL, x, steps.x),
    ] where distance != 0 {
      if has(version: 5), count != 0 {
        unsafe wl_pointer_send_axis_discrete(resource, axis.rawValue, Int32(clamping: count))
      }
      unsafe wl_pointer_send_axis(resource, time, axis.rawValue, fixed(distance))
    }
    // Fingers have left the pad, as far as anybody can tell.
    if has(version: 5), x == 0, y == 0 {
      unsafe wl_pointer_send_axis_stop(resource, time, WL_POINTER_AXIS_VERTICAL_SCROLL.rawValue)
    }
    sendFrame()
  }

  private func sendFrame() {
    if let resource, has(version: 5) { unsafe wl_pointer_send_frame(resource) }
  }

  override func destroyed() { seat.pointers.removeAll { $0 === self } }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_pointer_requests(
      set_cursor: { _, pointer, _, surface, x, y in
        let surface = unsafe surface == nil ? nil : Surface.of(surface)
        unsafe PointerObject.of(pointer).seat.setCursor(surface, x: Int(x), y: Int(y))
      },
      release: unsafe endResource))
}
