internal import CWayland
internal import LinuxSystem

/// Pointer, keyboard and fingers of whoever uses the host: the one that it lets into a scene.
final class Seat {
  var pointers: [PointerObject] = []
  var keyboards: [KeyboardObject] = []
  var touches: [TouchObject] = []
  private(set) var keymap: Keymap

  // The pointer.
  private weak var pointerScene: Scene?
  private(set) weak var pointerFocus: Surface?
  private var position = (x: 0.0, y: 0.0)
  private var heldButtons: Set<UInt32> = []
  /// What the client wants to be seen at the pointer.
  private weak var cursorSurface: Surface?
  private(set) var cursorHotspot = (x: 0, y: 0)
  private(set) var isCursorHidden = false

  // The keyboard.
  private weak var keyboardScene: Scene?
  private(set) weak var keyboardFocus: Surface?
  private(set) var heldKeys: [UInt32] = []

  /// Where each finger began.
  private var fingers: [Int32: Surface] = [:]

  init() throws(Errno) {
    // A system without layouts has no keyboard either, so this is the host's fault to be told.
    keymap = try Keymap()
  }

  func setKeymap(_ new: Keymap) {
    keymap = new
    for keyboard in keyboards { keyboard.sendKeymap() }
  }

  // MARK: Pointer

  func movePointer(_ x: Double, _ y: Double, in scene: Scene, time: UInt32) {
    pointerScene = scene
    position = (x, y)
    let hit = heldButtons.isEmpty ? scene.surface(at: x, y) : pointerFocus.flatMap { scene.place($0, x, y) }
    if hit?.surface !== pointerFocus {
      leavePointer()
      guard let hit else { return }
      pointerFocus = hit.surface
      for pointer in pointers { pointer.enter(hit.surface, hit.x, hit.y) }
    } else if let hit {
      for pointer in pointers { pointer.move(hit.x, hit.y, time) }
    }
  }

  func leavePointer() {
    if let old = pointerFocus { for pointer in pointers { pointer.leave(old) } }
    pointerFocus = nil
    let hadCursor = cursorSurface != nil || isCursorHidden
    cursorSurface = nil
    isCursorHidden = false
    if hadCursor { pointerScene?.cursorChanged() }
  }

  func pressButton(_ button: UInt32, isDown: Bool, in scene: Scene, time: UInt32) {
    if isDown {
      // A click elsewhere closes what has a grab, and does nothing else.
      if heldButtons.isEmpty, scene.dismissGrabs(unlessIn: pointerFocus) { return }
      guard heldButtons.insert(button).inserted else { return }
    } else {
      guard heldButtons.remove(button) != nil else { return }
    }
    if pointerFocus != nil { for pointer in pointers { pointer.button(button, isDown, time) } }
    // What is under it may be something else now.
    if heldButtons.isEmpty { movePointer(position.x, position.y, in: scene, time: time) }
  }

  /// - Parameter steps: of a wheel, down and to the right; 0 for what has none.
  func scroll(_ x: Double, _ y: Double, steps: (x: Int, y: Int), time: UInt32) {
    guard pointerFocus != nil else { return }
    for pointer in pointers { pointer.scroll(x, y, steps, time) }
  }

  func setCursor(_ surface: Surface?, x: Int, y: Int) {
    if let surface {
      guard surface.role == nil || surface.role == .cursor, surface.shell == nil, surface.child == nil else {
        return surface.fail(WL_POINTER_ERROR_ROLE.rawValue, "a cursor of what is something else already")
      }
      surface.role = .cursor
    }
    cursorSurface = surface
    cursorHotspot = (x, y)
    isCursorHidden = surface == nil
    pointerScene?.cursorChanged()
  }

  func cursorChanged(_ surface: Surface) { if surface === cursorSurface { pointerScene?.cursorChanged() } }

  var cursor: (pixels: PixelBuffer, scale: Int)? {
    guard let cursorSurface, let pixels = cursorSurface.pixels else { return nil }
    return (pixels, cursorSurface.scale)
  }

  func hasPointer(in scene: Scene) -> Bool { pointerScene === scene }

  // MARK: Keyboard

  func setKeyboardScene(_ scene: Scene?) {
    keyboardScene = scene
    updateKeyboardFocus()
  }

  func hasKeyboard(in scene: Scene) -> Bool { keyboardScene === scene }

  private func updateKeyboardFocus() {
    let new = keyboardScene?.keyboardSurface
    guard new !== keyboardFocus else { return }
    if let old = keyboardFocus { for keyboard in keyboards { keyboard.leave(old) } }
    keyboardFocus = new
    guard let new else { return }
    for keyboard in keyboards { keyboard.enter(new) }
  }

  func pressKey(_ key: UInt32, isDown: Bool, time: UInt32) {
    if isDown {
      guard !heldKeys.contains(key) else { return }
      heldKeys.append(key)
    } else {
      guard let index = heldKeys.firstIndex(of: key) else { return }
      heldKeys.remove(at: index)
    }
    let before = keymap.modifiers
    keymap.update(key, isDown: isDown)
    guard keyboardFocus != nil else { return }
    for keyboard in keyboards { keyboard.key(key, isDown, time) }
    if keymap.modifiers != before { for keyboard in keyboards { keyboard.sendModifiers() } }
  }

  func setModifiers(_ modifiers: Keymap.Modifiers) {
    guard keymap.modifiers != modifiers else { return }
    keymap.update(modifiers)
    if keyboardFocus != nil { for keyboard in keyboards { keyboard.sendModifiers() } }
  }

  func grabChanged(in scene: Scene) { if scene === keyboardScene { updateKeyboardFocus() } }
  func sceneWasShown(_ scene: Scene) { if scene === keyboardScene { updateKeyboardFocus() } }

  // MARK: Touch

  func touch(_ finger: Int32, _ x: Double, _ y: Double, in scene: Scene, time: UInt32) {
    guard fingers[finger] == nil else { return }
    let target = scene.surface(at: x, y)
    if scene.dismissGrabs(unlessIn: target?.surface) { return }
    guard let target else { return }
    fingers[finger] = target.surface
    for touch in touches { touch.down(finger, target.surface, target.x, target.y, time) }
  }

  func moveTouch(_ finger: Int32, _ x: Double, _ y: Double, in scene: Scene, time: UInt32) {
    guard let surface = fingers[finger], let hit = scene.place(surface, x, y) else { return }
    for touch in touches { touch.move(finger, hit.x, hit.y, time) }
  }

  func endTouch(_ finger: Int32, time: UInt32) {
    guard fingers.removeValue(forKey: finger) != nil else { return }
    for touch in touches { touch.up(finger, time) }
  }

  func cancelTouches() {
    guard !fingers.isEmpty else { return }
    fingers = [:]
    for touch in touches { touch.cancel() }
  }

  // MARK: What goes

  func forget(_ scene: Scene) {
    if pointerScene === scene {
      heldButtons = []
      leavePointer()
      pointerScene = nil
    }
    if keyboardScene === scene { setKeyboardScene(nil) }
  }

  func forget(_ window: Window) {
    if let scene = window.scene, scene === keyboardScene { updateKeyboardFocus() }
  }

  func forget(_ surface: Surface) {
    if pointerFocus === surface {
      heldButtons = []
      pointerFocus = nil
    }
    if keyboardFocus === surface {
      keyboardFocus = nil
      updateKeyboardFocus()
    }
    fingers = fingers.filter { $0.value !== surface }
    if cursorSurface === surface {
      cursorSurface = nil
      pointerScene?.cursorChanged()
    }
  }
}
