internal import CWayland

/// Which part of a buffer a surface shows, and how large (`wp_viewporter`).
final class Viewport: WaylandObject {
  /// In the buffer's pixels, after its scale.
  struct Source: Equatable { var x, y, width, height: Double }
  struct Size: Equatable { var width, height: Int }
  struct Change {
    var source: Source?
    var destination: Size?
  }

  private weak var surface: Surface?
  private var change = Change()

  init(_ surface: Surface) {
    self.surface = surface
    super.init(surface.compositor)
  }

  override func destroyed() {
    surface?.viewport = nil
    surface?.pending.viewport = Change()
  }

  private func setSource(_ x: wl_fixed_t, _ y: wl_fixed_t, _ width: wl_fixed_t, _ height: wl_fixed_t) {
    if x == -256, y == -256, width == -256, height == -256 {
      change.source = nil
    } else {
      guard x >= 0, y >= 0, width > 0, height > 0 else {
        return fail(WP_VIEWPORT_ERROR_BAD_VALUE.rawValue, "a part of a buffer that is none")
      }
      change.source = Source(
        x: Double(x) / 256, y: Double(y) / 256, width: Double(width) / 256, height: Double(height) / 256)
    }
    apply()
  }

  private func setDestination(_ width: Int32, _ height: Int32) {
    if width == -1, height == -1 {
      change.destination = nil
    } else {
      guard width > 0, height > 0 else {
        return fail(WP_VIEWPORT_ERROR_BAD_VALUE.rawValue, "a size that is none")
      }
      change.destination = Size(width: Int(width), height: Int(height))
    }
    apply()
  }

  private func apply() {
    guard let surface else {
      return fail(WP_VIEWPORT_ERROR_NO_SURFACE.rawValue, "the viewport's surface is destroyed")
    }
    surface.pending.viewport = change
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wp_viewport_requests(
      destroy: endResource,
      set_source: { _, viewport, x, y, width, height in
        unsafe Viewport.of(viewport).setSource(x, y, width, height)
      },
      set_destination: { _, viewport, width, height in
        unsafe Viewport.of(viewport).setDestination(width, height)
      }))
}

/// The global that makes them.
final class Viewporter: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    wp_viewporter_requests(
      destroy: endResource,
      get_viewport: { _, viewporter, id, surface in
        let object = unsafe Viewporter.of(viewporter)
        let surface = unsafe Surface.of(surface)
        guard surface.viewport == nil else {
          return object.fail(WP_VIEWPORTER_ERROR_VIEWPORT_EXISTS.rawValue, "a second viewport of a surface")
        }
        let viewport = Viewport(surface)
        surface.viewport = viewport
        unsafe viewport.appear(for: viewporter, as: wp_viewport_type(), id: id, Viewport.requests)
      }))
}
