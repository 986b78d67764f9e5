internal import CWayland
internal import LinuxSystem

/// Pointer, keyboard and fingers of whoever uses the host: the one that it lets into a scene.
final class Seat {
  var pointers: [PointerObject] = []
  var keyboards: [KeyboardObject] = []
  var touches: [TouchObject] = []
  var textInputs: [TextInputObject] = []
  private(set) var keymap: Keymap

  // The pointer.
  private weak var pointerScene: Scene?
  private(set) weak var pointerFocus: Surface?
  private var position = (x: 0.0, y: 0.0)
  private var heldButtons: Set<UInt32> = []
  private var lastTime: UInt32 = 0
  /// The client has not been told the newest position.
  private var owesPosition = false
  /// What the client wants to be seen at the pointer.
  private weak var cursorSurface: Surface?
  private(set) var cursorHotspot = (x: 0, y: 0)
  private(set) var isCursorHidden = false

  // The keyboard.
  private(set) weak var keyboardScene: Scene?
  private(set) weak var keyboardFocus: Surface?
  private(set) var heldKeys: [UInt32] = []
  /// The newest key that the focus got was Tab, and nothing has come of it yet.
  private var isTabLast = false

  private var inputs = InputSerials()

  /// Where each finger began.
  private var fingers: [Int32: Surface] = [:]

  init(_ keymap: Keymap?) throws(Errno) {
    // A system without layouts has no keyboard either, so this is the host's fault to be told.
    if let keymap { self.keymap = keymap } else { self.keymap = try Keymap() }
  }

  func setKeymap(_ new: Keymap) {
    keymap = new
    for keyboard in keyboards { keyboard.sendKeymap() }
  }

  /// For a key, a button or a finger.
  func nextSerial(of device: WaylandObject) -> UInt32 {
    let serial = device.compositor.nextSerial()
    inputs.add(serial)
    return serial
  }

  /// Whether a client that has the keyboard was given this input a short time ago.
  func isRecentInput(_ serial: UInt32) -> Bool { keyboardFocus != nil && inputs.contains(serial) }

  // MARK: Pointer

  func movePointer(_ x: Double, _ y: Double, in scene: Scene, time: UInt32) {
    pointerScene = scene
    position = (x, y)
    lastTime = time
    owesPosition = !scene.maySendMore
    if !owesPosition { sendPosition() }
  }

  private func sendPosition() {
    owesPosition = false
    guard let scene = pointerScene else { return }
    let (x, y, time) = (position.x, position.y, lastTime)
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

  /// The client reads again.
  func catchUp() { if owesPosition { sendPosition() } }

  /// Windows and popups came and went: what is under the pointer may be something else, and what the keyboard is for.
  func sceneHasChanged(_ scene: Scene) {
    if scene === keyboardScene { updateKeyboardFocus() }
    guard scene === pointerScene, pointerFocus != nil, heldButtons.isEmpty else { return }
    if scene.surface(at: position.x, position.y)?.surface !== pointerFocus { sendPosition() }
  }

  func add(_ pointer: PointerObject) {
    pointers.append(pointer)
    // Or it would be told of moves in what it never entered.
    guard let focus = pointerFocus, let place = pointerScene?.place(focus, position.x, position.y) else {
      return
    }
    pointer.enter(focus, place.x, place.y)
  }

  func leavePointer() {
    owesPosition = false
    if let old = pointerFocus { for pointer in pointers { pointer.leave(old) } }
    pointerFocus = nil
    let hadCursor = cursorSurface != nil || isCursorHidden
    cursorSurface = nil
    isCursorHidden = false
    if hadCursor { pointerScene?.cursorChanged() }
  }

  func pressButton(_ button: UInt32, isDown: Bool, in scene: Scene, time: UInt32) {
    if isDown {
      // What is pressed is what is under the pointer now.
      if owesPosition { sendPosition() }
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
    isTabLast = false
    updateKeyboardFocus()
    guard scene == nil else { return }
    // Of those that are released from now on the host hears, and nobody here.
    for key in heldKeys { keymap.update(key, isDown: false) }
    heldKeys = []
  }

  func hasKeyboard(in scene: Scene) -> Bool { keyboardScene === scene }

  private func updateKeyboardFocus() {
    let new = keyboardScene?.keyboardSurface
    guard new !== keyboardFocus else { return }
    if let old = keyboardFocus { for keyboard in keyboards { keyboard.leave(old) } }
    for input in textInputs { input.leave() }
    keyboardFocus = new
    guard let new else { return }
    // The protocol wants these before.
    new.compositor.clipboard.focusComes()
    new.compositor.primarySelection.focusComes()
    for keyboard in keyboards { keyboard.enter(new) }
    for input in textInputs { input.enter(new, keyboardScene) }
  }

  func pressKey(_ key: UInt32, isDown: Bool, time: UInt32) {
    if isDown {
      guard !heldKeys.contains(key) else { return }
      heldKeys.append(key)
    } else {
      guard let index = heldKeys.firstIndex(of: key) else { return }
      heldKeys.remove(at: index)
    }
    if isDown { isTabLast = keymap.isTab(key) }
    let before = keymap.modifiers
    keymap.update(key, isDown: isDown)
    guard keyboardFocus != nil else { return }
    for keyboard in keyboards { keyboard.key(key, isDown, time) }
    if keymap.modifiers != before { for keyboard in keyboards { keyboard.sendModifiers() } }
  }

  /// Whether the person has pressed Tab, and no other key since. Once for each time.
  func takeTab() -> Bool {
    defer { isTabLast = false }
    return isTabLast
  }

  func setModifiers(_ modifiers: Keymap.Modifiers) {
    guard keymap.modifiers != modifiers else { return }
    keymap.update(modifiers)
    if keyboardFocus != nil { for keyboard in keyboards { keyboard.sendModifiers() } }
  }

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
    cancelTouches()
  }

  func forget(_ surface: Surface) {
    if pointerFocus === surface {
      heldButtons = []
      pointerFocus = nil
    }
    if keyboardFocus === surface {
      for input in textInputs { input.leave() }
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
