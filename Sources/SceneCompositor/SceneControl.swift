internal import CWayland

/// What host and extension say to each other about a scene, beside its windows (`extk_scene_v1`).
final class SceneControl: WaylandObject {
  private let token: String
  private var isToldToEnd = false

  init(_ token: String, _ compositor: SceneCompositor) {
    self.token = token
    super.init(compositor)
  }

  /// nil where the host does not show it.
  private var scene: Scene? { compositor.scenes.first { $0.token == token } }

  func begin() {
    guard !isGone else { return }
    compositor.controls.append(self)
    countBinding()
    if let tint = scene?.tint { tell(tint: tint) }
  }

  func isOf(_ scene: Scene) -> Bool { scene.token == token }

  func tell(tint: UInt32?) {
    if let resource { unsafe extk_scene_v1_send_tint(resource, tint.map { 0xff00_0000 | $0 } ?? 0) }
  }

  func tell(focus direction: Scene.Direction) {
    if let resource { unsafe extk_scene_v1_send_focus_in(resource, direction.rawValue) }
  }

  func tellToEnd() {
    guard !isToldToEnd, let resource else { return }
    isToldToEnd = true
    unsafe extk_scene_v1_send_end(resource)
  }

  override func destroyed() {
    compositor.controls.removeAll { $0 === self }
    // Where all of the client ends, the host hears of that.
    if !compositor.hasEnded { scene?.hasEnded() }
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    extk_scene_v1_requests(
      destroy: endResource,
      focus_out: { _, control, direction in
        let control = unsafe SceneControl.of(control)
        guard let direction = Scene.Direction(rawValue: direction), let scene = control.scene else { return }
        scene.focusLeaves(direction)
      }))
}
