public import CSceneCompositor
internal import SceneCompositor

@c @implementation
public func extk_scene_pointer_moved(_ scene: OpaquePointer?, _ x: Double, _ y: Double, _ time: UInt32) {
  unsafe SceneBox.at(scene).scene.pointerMoved(x: x, y: y, milliseconds: time)
}

@c @implementation
public func extk_scene_pointer_left(_ scene: OpaquePointer?) { unsafe SceneBox.at(scene).scene.pointerLeft() }

@c @implementation
public func extk_scene_pointer_button(
  _ scene: OpaquePointer?, _ button: UInt32, _ isDown: Bool, _ time: UInt32
) {
  let box = unsafe SceneBox.at(scene)
  box.owner?.noteInput()
  box.scene.pointerButton(button, isDown: isDown, milliseconds: time)
}

@c @implementation
public func extk_scene_scrolled(
  _ scene: OpaquePointer?, _ x: Double, _ y: Double, _ stepsX: CInt, _ stepsY: CInt, _ time: UInt32
) {
  unsafe SceneBox.at(scene).scene.pointerScrolled(
    x: x, y: y, stepsX: Int(stepsX), stepsY: Int(stepsY), milliseconds: time)
}

@c @implementation
public func extk_scene_set_keyboard(_ scene: OpaquePointer?, _ hasKeyboard: Bool) {
  unsafe SceneBox.at(scene).scene.hasKeyboard = hasKeyboard
}

@c @implementation
public func extk_scene_take_focus(_ scene: OpaquePointer?, _ isBackward: Bool) {
  unsafe SceneBox.at(scene).scene.takeFocus(isBackward ? .backward : .forward)
}

@c @implementation
public func extk_scene_key(_ scene: OpaquePointer?, _ key: UInt32, _ isDown: Bool, _ time: UInt32) {
  let box = unsafe SceneBox.at(scene)
  box.owner?.noteInput()
  box.scene.key(key, isDown: isDown, milliseconds: time)
}

@c @implementation
public func extk_scene_modifiers(
  _ scene: OpaquePointer?, _ depressed: UInt32, _ latched: UInt32, _ locked: UInt32, _ group: UInt32
) {
  let shiftControlAndAlt: UInt32 = 0b1101
  unsafe SceneBox.at(scene).scene.modifiersChanged(
    depressed: depressed, of: shiftControlAndAlt, latched: latched, locked: locked, group: group)
}

@c @implementation
public func extk_scene_touch(
  _ scene: OpaquePointer?, _ finger: Int32, _ x: Double, _ y: Double, _ isNew: Bool, _ time: UInt32
) {
  let scene = unsafe SceneBox.at(scene).scene
  if isNew {
    scene.touchBegan(finger, x: x, y: y, milliseconds: time)
  } else {
    scene.touchMoved(finger, x: x, y: y, milliseconds: time)
  }
}

@c @implementation
public func extk_scene_touch_ended(_ scene: OpaquePointer?, _ finger: Int32, _ time: UInt32) {
  unsafe SceneBox.at(scene).scene.touchEnded(finger, milliseconds: time)
}

@c @implementation
public func extk_scene_touch_cancelled(_ scene: OpaquePointer?) {
  unsafe SceneBox.at(scene).scene.touchCanceled()
}

@c @implementation
public func extk_scene_text_input(
  _ scene: OpaquePointer?, _ cursor: UnsafeMutablePointer<extk_rectangle>?,
  _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ cursorIndex: UnsafeMutablePointer<CInt>?,
  _ anchor: UnsafeMutablePointer<CInt>?
) -> Bool {
  guard let input = unsafe SceneBox.at(scene).scene.textInput else { return false }
  unsafe cursor?.pointee = (input.cursorRectangle ?? SceneRectangle(width: 0, height: 0)).forC
  unsafe text?.pointee = unsafe input.surroundingText?.copyForC()
  unsafe cursorIndex?.pointee = CInt(clamping: input.cursor)
  unsafe anchor?.pointee = CInt(clamping: input.anchor)
  return true
}

@c @implementation
public func extk_scene_enter_text(
  _ scene: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ composition: UnsafePointer<CChar>?,
  _ cursor: CInt, _ before: CInt, _ after: CInt
) {
  let place = Int(max(0, cursor))
  unsafe SceneBox.at(scene).scene.enterText(
    text.map { unsafe String(cString: $0) } ?? "",
    composition: composition.map { unsafe .init(String(cString: $0), cursor: place..<place) },
    deleting: (Int(max(0, before)), Int(max(0, after))))
}
