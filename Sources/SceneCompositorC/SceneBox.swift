public import CSceneCompositor
internal import LinuxSystem
internal import SceneCompositor

/// What an `extk_scene` points to.
final class SceneBox {
  let scene: Scene
  /// Not kept: the scene is empty once the compositor is gone.
  private(set) weak var owner: CompositorBox?

  init(
    _ scene: Scene, of owner: CompositorBox, _ callback: extk_scene_callback?,
    _ data: UnsafeMutableRawPointer?
  ) {
    self.scene = scene
    self.owner = owner
    scene.onEvent = { event in unsafe callback?(data, event.forC) }
  }

  static func at(_ pointer: OpaquePointer?) -> SceneBox {
    guard let pointer = unsafe pointer else { preconditionFailure("a null pointer was given for a scene") }
    return unsafe Unmanaged<SceneBox>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }
}

extension Scene.Event {
  fileprivate var forC: extk_scene_event {
    switch self {
    case .shown: EXTK_SCENE_SHOWN
    case .hidden: EXTK_SCENE_HIDDEN
    case .changed: EXTK_SCENE_CHANGED
    case .overlaysChanged: EXTK_SCENE_OVERLAYS_CHANGED
    case .titleChanged: EXTK_SCENE_TITLE_CHANGED
    case .preferredSizeChanged: EXTK_SCENE_PREFERRED_SIZE_CHANGED
    case .textInputChanged: EXTK_SCENE_TEXT_INPUT_CHANGED
    case .wantsAttention: EXTK_SCENE_WANTS_ATTENTION
    case .unresponsive: EXTK_SCENE_UNRESPONSIVE
    case .responsive: EXTK_SCENE_RESPONSIVE
    case .cursorChanged: EXTK_SCENE_CURSOR_CHANGED
    case .focusLeaves(.forward): EXTK_SCENE_FOCUS_LEAVES_FORWARD
    case .focusLeaves(.backward): EXTK_SCENE_FOCUS_LEAVES_BACKWARD
    case .ended: EXTK_SCENE_ENDED
    }
  }
}

@c @implementation
public func extk_scene_new(
  _ compositor: OpaquePointer?, _ token: UnsafePointer<CChar>?, _ width: CInt, _ height: CInt,
  _ callback: extk_scene_callback?, _ data: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  let owner = unsafe CompositorBox.at(compositor)
  let scene = owner.compositor.makeScene(
    token: unsafe token.map { unsafe String(cString: $0) },
    size: width > 0 && height > 0 ? (Int(width), Int(height)) : nil)
  let box = unsafe SceneBox(scene, of: owner, callback, data)
  return unsafe OpaquePointer(Unmanaged.passRetained(box).toOpaque())
}

@c @implementation
public func extk_scene_free(_ scene: OpaquePointer?) {
  guard let scene = unsafe scene else { return }
  let box = unsafe Unmanaged<SceneBox>.fromOpaque(UnsafeRawPointer(scene)).takeRetainedValue()
  box.scene.onEvent = nil
  box.scene.withdraw()
}

@c @implementation
public func extk_scene_end(_ scene: OpaquePointer?) { unsafe SceneBox.at(scene).scene.end() }

@c @implementation
public func extk_scene_set_tint(_ scene: OpaquePointer?, _ tint: CInt) {
  unsafe SceneBox.at(scene).scene.tint = tint < 0 ? nil : UInt32(tint) & 0xff_ffff
}

@c @implementation
public func extk_scene_resize(_ scene: OpaquePointer?, _ width: CInt, _ height: CInt) {
  let box = unsafe SceneBox.at(scene)
  box.scene.resize(width: Int(width), height: Int(height))
  box.owner?.compositor.flush()
}

@c @implementation
public func extk_scene_set_room(_ scene: OpaquePointer?, _ room: extk_rectangle) {
  unsafe SceneBox.at(scene).scene.room = SceneRectangle(room)
}

@c @implementation
public func extk_scene_is_shown(_ scene: OpaquePointer?) -> Bool { unsafe SceneBox.at(scene).scene.isShown }

@c @implementation
public func extk_scene_title(_ scene: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
  unsafe SceneBox.at(scene).scene.title.copyForC()
}

@c @implementation
public func extk_scene_preferred_size(
  _ scene: OpaquePointer?, _ width: UnsafeMutablePointer<CInt>?, _ height: UnsafeMutablePointer<CInt>?
) {
  let size = unsafe SceneBox.at(scene).scene.preferredSize
  unsafe width?.pointee = CInt(clamping: size.width)
  unsafe height?.pointee = CInt(clamping: size.height)
}

@c @implementation
public func extk_scene_waits_for_frame(_ scene: OpaquePointer?) -> Bool {
  unsafe SceneBox.at(scene).scene.waitsForFrame
}

@c @implementation
public func extk_scene_frame_shown(_ scene: OpaquePointer?, _ time: UInt32) {
  unsafe SceneBox.at(scene).scene.frameShown(milliseconds: time)
}

extension String {
  /// For free(3).
  func copyForC() -> UnsafeMutablePointer<CChar>? { unsafe withCString { unsafe extk_text_copy($0) } }
}
