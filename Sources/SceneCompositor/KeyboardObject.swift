internal import CWayland
internal import LinuxSystem

/// The keyboard, as one of the client's objects (`wl_keyboard`).
final class KeyboardObject: WaylandObject {
  /// The host repeats keys for nobody: clients do it themselves. Keys a second, and milliseconds before the first.
  private static let repetition: (rate: Int32, delay: Int32) = (25, 600)

  func begin() {
    sendKeymap()
    if let resource, has(version: 4) {
      unsafe wl_keyboard_send_repeat_info(resource, Self.repetition.rate, Self.repetition.delay)
    }
    if let focus = seat.keyboardFocus { enter(focus) }
  }

  func sendKeymap() {
    guard let resource else { return }
    let keymap = seat.keymap
    unsafe wl_keyboard_send_keymap(
      resource, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1.rawValue, keymap.text.rawValue, keymap.size)
  }

  func enter(_ surface: Surface) {
    guard let resource, let surface = surface.resource else { return }
    var keys = unsafe wl_array()
    unsafe wl_array_init(&keys)
    defer { unsafe wl_array_release(&keys) }
    for key in seat.heldKeys {
      guard let place = unsafe wl_array_add(&keys, MemoryLayout<UInt32>.size) else { break }
      unsafe place.storeBytes(of: key, as: UInt32.self)
    }
    unsafe wl_keyboard_send_enter(resource, compositor.nextSerial(), surface, &keys)
    // Or a Control that is held already would count for nothing.
    sendModifiers()
  }

  func leave(_ surface: Surface) {
    guard let resource, let surface = surface.resource else { return }
    unsafe wl_keyboard_send_leave(resource, compositor.nextSerial(), surface)
  }

  func key(_ key: UInt32, _ isDown: Bool, _ time: UInt32) {
    guard let resource else { return }
    let state = isDown ? WL_KEYBOARD_KEY_STATE_PRESSED : WL_KEYBOARD_KEY_STATE_RELEASED
    unsafe wl_keyboard_send_key(resource, compositor.nextSerial(), time, key, state.rawValue)
  }

  func sendModifiers() {
    guard let resource else { return }
    let held = seat.keymap.modifiers
    unsafe wl_keyboard_send_modifiers(
      resource, compositor.nextSerial(), held.depressed, held.latched, held.locked, held.group)
  }

  override func destroyed() { seat.keyboards.removeAll { $0 === self } }

  nonisolated(unsafe) static let requests = unsafe requestTable(wl_keyboard_requests(release: endResource))
}
