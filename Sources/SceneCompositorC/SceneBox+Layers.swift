public import CSceneCompositor
internal import SceneCompositor

extension SceneRectangle {
  init(_ rectangle: extk_rectangle) {
    self.init(
      x: Int(rectangle.x), y: Int(rectangle.y), width: Int(rectangle.width), height: Int(rectangle.height))
  }

  var forC: extk_rectangle {
    extk_rectangle(
      x: CInt(clamping: x), y: CInt(clamping: y), width: CInt(clamping: width), height: CInt(clamping: height)
    )
  }
}

extension ObjectIdentifier {
  fileprivate var forC: UInt { UInt(bitPattern: self) }
}

@c @implementation
public func extk_scene_copy_layers(
  _ scene: OpaquePointer?, _ overlay: UInt, _ layers: UnsafeMutablePointer<extk_layer>?, _ capacity: Int
) -> Int {
  let scene = unsafe SceneBox.at(scene).scene
  let found =
    overlay == 0 ? scene.layers : scene.overlays.first { $0.identifier.forC == overlay }?.layers ?? []
  for (index, layer) in found.prefix(capacity).enumerated() {
    unsafe layers?[index] = extk_layer(
      identifier: layer.identifier.forC, pixels: layer.pixels.address,
      width: CInt(clamping: layer.pixels.width),
      height: CInt(clamping: layer.pixels.height), source: layer.source.forC, place: layer.place.forC,
      damage: layer.takeDamage().forC)
  }
  return found.count
}

@c @implementation
public func extk_scene_copy_overlays(
  _ scene: OpaquePointer?, _ overlays: UnsafeMutablePointer<extk_overlay>?, _ capacity: Int
) -> Int {
  let found = unsafe SceneBox.at(scene).scene.overlays
  for (index, overlay) in found.prefix(capacity).enumerated() {
    unsafe overlays?[index] = extk_overlay(
      identifier: overlay.identifier.forC, place: overlay.place.forC, is_grabbing: overlay.isGrabbing)
  }
  return found.count
}

@c @implementation
public func extk_scene_dismiss_overlays(_ scene: OpaquePointer?) {
  let box = unsafe SceneBox.at(scene)
  for overlay in box.scene.overlays.reversed() { overlay.dismiss() }
  box.owner?.compositor.flush()
}

@c @implementation
public func extk_scene_cursor(
  _ scene: OpaquePointer?, _ width: UnsafeMutablePointer<CInt>?, _ height: UnsafeMutablePointer<CInt>?,
  _ scale: UnsafeMutablePointer<CInt>?, _ tipX: UnsafeMutablePointer<CInt>?,
  _ tipY: UnsafeMutablePointer<CInt>?, _ isHidden: UnsafeMutablePointer<Bool>?
) -> UnsafeRawPointer? {
  let scene = unsafe SceneBox.at(scene).scene
  unsafe isHidden?.pointee = scene.isCursorHidden
  guard let cursor = scene.cursor else { return nil }
  unsafe width?.pointee = CInt(clamping: cursor.pixels.width)
  unsafe height?.pointee = CInt(clamping: cursor.pixels.height)
  unsafe scale?.pointee = CInt(clamping: cursor.scale)
  unsafe tipX?.pointee = CInt(clamping: cursor.tipX)
  unsafe tipY?.pointee = CInt(clamping: cursor.tipY)
  return unsafe cursor.pixels.address
}
