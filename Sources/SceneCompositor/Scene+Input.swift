extension Scene {
  // MARK: For hosts. Places are in the scene's coordinates, times in milliseconds of the monotonic clock.

  /// The pointer is over the scene, or was when a button was pressed that is still held.
  public func pointerMoved(x: Double, y: Double, milliseconds time: UInt32) {
    compositor?.seat.movePointer(x, y, in: self, time: time)
    compositor?.flush()
  }

  /// The pointer is somewhere else.
  public func pointerLeft() {
    if let seat = compositor?.seat, seat.hasPointer(in: self) { seat.leavePointer() }
    compositor?.flush()
  }

  /// - Parameter button: as the kernel numbers it: 0x110 left, 0x111 right, 0x112 middle.
  public func pointerButton(_ button: UInt32, isDown: Bool, milliseconds time: UInt32) {
    compositor?.seat.pressButton(button, isDown: isDown, in: self, time: time)
    compositor?.flush()
  }

  /// Down and to the right, in the scene's pixels; with a wheel also its steps. Nothing but zeros: fingers were lifted.
  public func pointerScrolled(
    x: Double, y: Double, stepsX: Int = 0, stepsY: Int = 0, milliseconds time: UInt32
  ) {
    compositor?.seat.scroll(x, y, steps: (stepsX, stepsY), time: time)
    compositor?.flush()
  }

  /// Whether keys are for this scene. At most one of a compositor's has the keyboard.
  public var hasKeyboard: Bool {
    get { compositor?.seat.hasKeyboard(in: self) ?? false }
    set {
      if newValue != hasKeyboard { compositor?.seat.setKeyboardScene(newValue ? self : nil) }
      compositor?.flush()
    }
  }

  /// - Parameter key: as the kernel numbers it, which is eight less than X11 does.
  public func key(_ key: UInt32, isDown: Bool, milliseconds time: UInt32) {
    compositor?.seat.pressKey(key, isDown: isDown, time: time)
    compositor?.flush()
  }

  /// Modifiers as the host's own keyboard has them, where that may change without a key.
  /// - Parameter known: the bits of `depressed` that the host knows of. The others are as the keys say.
  public func modifiersChanged(
    depressed: UInt32, of known: UInt32 = .max, latched: UInt32, locked: UInt32, group: UInt32
  ) {
    guard let seat = compositor?.seat else { return }
    seat.setModifiers(
      Keymap.Modifiers(
        depressed: seat.keymap.modifiers.depressed & ~known | depressed & known, latched: latched,
        locked: locked, group: group))
    compositor?.flush()
  }

  /// A finger touches the screen. Fingers have any numbers.
  public func touchBegan(_ finger: Int32, x: Double, y: Double, milliseconds time: UInt32) {
    compositor?.seat.touch(finger, x, y, in: self, time: time)
    compositor?.flush()
  }

  /// A finger is somewhere else.
  public func touchMoved(_ finger: Int32, x: Double, y: Double, milliseconds time: UInt32) {
    compositor?.seat.moveTouch(finger, x, y, in: self, time: time)
    compositor?.flush()
  }

  /// A finger was lifted.
  public func touchEnded(_ finger: Int32, milliseconds time: UInt32) {
    compositor?.seat.endTouch(finger, time: time)
    compositor?.flush()
  }

  /// The host takes the fingers for itself.
  public func touchCanceled() {
    compositor?.seat.cancelTouches()
    compositor?.flush()
  }

  /// What the extension wants at the pointer: pixels, how many of them for one of the scene, and which of the scene's is the
  /// tip. nil: the host's own.
  public var cursor: (pixels: PixelBuffer, scale: Int, tipX: Int, tipY: Int)? {
    guard let seat = compositor?.seat, let cursor = seat.cursor else { return nil }
    let tip = seat.cursorHotspot
    return (cursor.pixels, cursor.scale, tip.x, tip.y)
  }

  /// It wants none.
  public var isCursorHidden: Bool { compositor?.seat.isCursorHidden ?? false }

  // MARK: For the compositor

  /// What the keyboard is for: the topmost popup that wants it, else the topmost dialog, else the window.
  var keyboardSurface: Surface? {
    guard isShown else { return nil }
    return (popups.last { $0.isGrabbing }?.surface ?? dialogs.last?.surface ?? window?.surface)
  }

  /// The topmost surface that takes input there, with the place in it.
  func surface(at x: Double, _ y: Double) -> (surface: Surface, x: Double, y: Double)? {
    for layer in (layers + overlays.flatMap(\.layers)).reversed() {
      let (inX, inY) = (x - Double(layer.place.x), y - Double(layer.place.y))
      if layer.surface.takes(inX, inY) { return (layer.surface, inX, inY) }
    }
    return nil
  }

  /// The same place in a surface, also outside of it.
  func place(_ surface: Surface, _ x: Double, _ y: Double) -> (surface: Surface, x: Double, y: Double)? {
    (layers + overlays.flatMap(\.layers)).first { $0.surface === surface }.map {
      (surface, x - Double($0.place.x), y - Double($0.place.y))
    }
  }

  /// Whether something had a grab and was dismissed, since the click was not in it.
  func dismissGrabs(unlessIn target: Surface?) -> Bool {
    let grabbing = popups.filter(\.isGrabbing)
    guard !grabbing.isEmpty, !popups.contains(where: { $0.surface === target?.top }) else { return false }
    for popup in grabbing.reversed() { popup.dismiss() }
    return true
  }
}

extension Scene {
  /// The keys that make a text, as the kernel numbers them, with Shift or without; nil where the keyboard has no key for one
  /// of its characters.
  public func keys(for text: String) -> [(key: UInt32, needsShift: Bool)]? {
    compositor?.seat.keymap.keys(for: text)
  }
}
