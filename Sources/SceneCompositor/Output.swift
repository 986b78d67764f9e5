internal import CWayland

/// The one output that clients see. A scene is shown wherever its host is; this says how dense its pixels are.
final class Output: GlobalObject {
  private var scale: Int { Int(compositor.scale.rounded(.up)) }

  /// What it is, or has become.
  func announce() {
    guard let resource else { return }
    unsafe wl_output_send_geometry(
      resource, 0, 0, 340, 190, Int32(WL_OUTPUT_SUBPIXEL_UNKNOWN.rawValue), "extensiond", "scene",
      Int32(WL_OUTPUT_TRANSFORM_NORMAL.rawValue))
    unsafe wl_output_send_mode(resource, WL_OUTPUT_MODE_CURRENT.rawValue, 1920, 1080, 60000)
    if has(version: 2) { unsafe wl_output_send_scale(resource, Int32(scale)) }
    if has(version: 4) { unsafe wl_output_send_name(resource, "SCENE-1") }
    if has(version: 2) { unsafe wl_output_send_done(resource) }
  }

  func enter(_ surface: Surface) {
    guard let resource, let surface = surface.resource else { return }
    unsafe wl_surface_send_enter(surface, resource)
  }

  override func destroyed() { compositor.outputs.removeAll { $0 === self } }

  nonisolated(unsafe) static let requests = unsafe requestTable(wl_output_requests(release: endResource))
}

/// Tells a surface its scale where that is no whole number (`wp_fractional_scale_v1`).
final class FractionalScale: WaylandObject {
  func announce() {
    guard let resource else { return }
    unsafe wp_fractional_scale_v1_send_preferred_scale(
      resource, UInt32(max(1, (compositor.scale * 120).rounded())))
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wp_fractional_scale_v1_requests(destroy: endResource))
}

/// The global that makes them.
final class FractionalScales: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    wp_fractional_scale_manager_v1_requests(
      destroy: endResource,
      get_fractional_scale: { _, global, id, surface in
        let surface = unsafe Surface.of(surface)
        guard surface.fractionalScale == nil else {
          return unsafe FractionalScales.of(global).fail(
            WP_FRACTIONAL_SCALE_MANAGER_V1_ERROR_FRACTIONAL_SCALE_EXISTS.rawValue,
            "a second scale of a surface")
        }
        let scale = FractionalScale(surface.compositor)
        surface.fractionalScale = scale
        unsafe scale.appear(for: global, as: wp_fractional_scale_v1_type(), id: id, FractionalScale.requests)
        scale.announce()
      }))
}
