internal import CWayland

/// The global of the seat, from which clients get its devices (`wl_seat`).
final class SeatObject: GlobalObject {
  func announce() {
    guard let resource else { return }
    let devices =
      WL_SEAT_CAPABILITY_POINTER.rawValue | WL_SEAT_CAPABILITY_KEYBOARD.rawValue
      | WL_SEAT_CAPABILITY_TOUCH.rawValue
    unsafe wl_seat_send_capabilities(resource, devices)
    if has(version: 2) { unsafe wl_seat_send_name(resource, "scene") }
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_seat_requests(
      get_pointer: { _, seat, id in
        let pointer = unsafe PointerObject(SeatObject.of(seat).compositor)
        unsafe pointer.appear(for: seat, as: wl_pointer_type(), id: id, PointerObject.requests)
        pointer.seat.pointers.append(pointer)
      },
      get_keyboard: { _, seat, id in
        let keyboard = unsafe KeyboardObject(SeatObject.of(seat).compositor)
        unsafe keyboard.appear(for: seat, as: wl_keyboard_type(), id: id, KeyboardObject.requests)
        keyboard.seat.keyboards.append(keyboard)
        keyboard.begin()
      },
      get_touch: { _, seat, id in
        let touch = unsafe TouchObject(SeatObject.of(seat).compositor)
        unsafe touch.appear(for: seat, as: wl_touch_type(), id: id, TouchObject.requests)
        touch.seat.touches.append(touch)
      },
      release: unsafe endResource))
}

extension WaylandObject {
  var seat: Seat { compositor.seat }
}

/// A coordinate on the wire: 24 bits and 8 of a fraction.
func fixed(_ value: Double) -> wl_fixed_t {
  wl_fixed_t((max(-8_000_000, min(8_000_000, value)) * 256).rounded())
}
