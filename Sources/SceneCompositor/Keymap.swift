internal import CKeyboard
internal import CWayland
public import LinuxSystem

/// Which key makes which character, and which modifiers are held. One for the keyboard of a seat.
@safe public final class Keymap {
  @safe private let context: OpaquePointer
  @safe private let keymap: OpaquePointer
  @safe private let state: OpaquePointer
  /// The description for clients, in sealed memory with a zero at its end.
  let text: SharedDescriptor
  let size: UInt32

  /// A layout by its names in xkeyboard-config, such as "de" and "nodeadkeys". nil: the system's own.
  /// - Throws: where there is none of that name.
  public convenience init(layout: String? = nil, variant: String? = nil) throws(Errno) {
    guard let context = unsafe xkb_context_new(XKB_CONTEXT_NO_FLAGS) else { throw .noSpace }
    let names = (layout ?? "", variant ?? "")
    let keymap = unsafe names.0.withCString { layout in
      unsafe names.1.withCString { variant in
        var names = unsafe xkb_rule_names()
        if unsafe layout.pointee != 0 { unsafe names.layout = layout }
        if unsafe variant.pointee != 0 { unsafe names.variant = variant }
        return unsafe xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
      }
    }
    unsafe try self.init(context: context, keymap: keymap)
  }

  /// A description in the text format of XKB, such as the host has of its own keyboard.
  public convenience init(description: String) throws(Errno) {
    guard let context = unsafe xkb_context_new(XKB_CONTEXT_NO_FLAGS) else { throw .noSpace }
    let keymap = unsafe description.withCString {
      unsafe xkb_keymap_new_from_string(
        context, $0, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS)
    }
    unsafe try self.init(context: context, keymap: keymap)
  }

  private init(context: OpaquePointer, keymap: OpaquePointer?) throws(Errno) {
    // Of an initializer that throws nothing is ended by itself. These calls do nothing where there is nothing.
    let state = unsafe keymap.flatMap { unsafe xkb_state_new($0) }
    func fail(_ error: Errno) -> Errno {
      unsafe xkb_state_unref(state)
      unsafe xkb_keymap_unref(keymap)
      unsafe xkb_context_unref(context)
      return error
    }
    guard let keymap = unsafe keymap, let state = unsafe state,
      let text = unsafe xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1)
    else { throw fail(.invalidArgument) }
    var bytes = [UInt8](unsafe String(cString: text).utf8)
    bytes.append(0)
    unsafe cwayland_free(text)
    size = UInt32(bytes.count)
    do throws(Errno) { self.text = try SharedDescriptor(MemoryFile.make("keymap", holding: bytes)) } catch {
      throw fail(error)
    }
    self.context = unsafe context
    self.keymap = unsafe keymap
    self.state = unsafe state
  }

  deinit {
    unsafe xkb_state_unref(state)
    unsafe xkb_keymap_unref(keymap)
    unsafe xkb_context_unref(context)
  }

  /// What is held, as wl_keyboard.modifiers has it.
  struct Modifiers: Equatable {
    var depressed: UInt32 = 0
    var latched: UInt32 = 0
    var locked: UInt32 = 0
    var group: UInt32 = 0
  }

  var modifiers: Modifiers {
    unsafe Modifiers(
      depressed: xkb_state_serialize_mods(state, XKB_STATE_MODS_DEPRESSED),
      latched: xkb_state_serialize_mods(state, XKB_STATE_MODS_LATCHED),
      locked: xkb_state_serialize_mods(state, XKB_STATE_MODS_LOCKED),
      group: xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_EFFECTIVE))
  }

  /// - Parameter key: as the kernel numbers it (linux/input-event-codes.h).
  func update(_ key: UInt32, isDown: Bool) {
    // X11's numbers, which XKB uses, begin eight later.
    unsafe xkb_state_update_key(state, key + 8, isDown ? XKB_KEY_DOWN : XKB_KEY_UP)
  }

  /// Takes over what the host's own keyboard says.
  func update(_ modifiers: Modifiers) {
    unsafe xkb_state_update_mask(
      state, modifiers.depressed, modifiers.latched, modifiers.locked, 0, 0, modifiers.group)
  }

  /// With the modifiers that are down.
  func isTab(_ key: UInt32) -> Bool {
    let symbol = unsafe xkb_state_key_get_one_sym(state, key + 8)
    return [XKB_KEY_Tab, XKB_KEY_ISO_Left_Tab, XKB_KEY_KP_Tab].contains(Int32(bitPattern: symbol))
  }

  /// The keys that make a text, in their order, with Shift or without; nil where a character needs another way.
  func keys(for text: String) -> [(key: UInt32, needsShift: Bool)]? {
    var keys: [(UInt32, Bool)] = []
    for scalar in text.unicodeScalars {
      let wanted = xkb_utf32_to_keysym(scalar.value)
      guard let key = self.key(for: scalar == "\n" ? UInt32(XKB_KEY_Return) : wanted) else { return nil }
      keys.append(key)
    }
    return keys
  }

  private func key(for symbol: xkb_keysym_t) -> (UInt32, Bool)? {
    for code in unsafe xkb_keymap_min_keycode(keymap)...xkb_keymap_max_keycode(keymap) where code >= 8 {
      for level: xkb_level_index_t in 0..<2 {
        var symbols: UnsafePointer<xkb_keysym_t>?
        let count = unsafe xkb_keymap_key_get_syms_by_level(keymap, code, 0, level, &symbols)
        if count == 1, unsafe symbols?.pointee == symbol { return (code - 8, level == 1) }
      }
    }
    return nil
  }
}
