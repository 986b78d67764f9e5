internal import CWayland

/// By which an extension says whose surfaces its own are (`extk_scene_manager_v1`).
final class SceneManager: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    extk_scene_manager_v1_requests(
      destroy: endResource,
      set_scene: { _, _, surface, token in
        guard let token = unsafe token else { return }
        unsafe Surface.of(surface).sceneToken = String(cString: token)
      },
      get_scene: { _, manager, id, token in
        guard let token = unsafe token else { return }
        let control = unsafe SceneControl(String(cString: token), SceneManager.of(manager).compositor)
        unsafe control.appear(for: manager, as: extk_scene_v1_type(), id: id, SceneControl.requests)
        control.begin()
      }))
}
