internal import CWayland

/// What a window and a popup have in common (`xdg_surface`).
final class ShellSurface: WaylandObject {
  private(set) weak var surface: Surface?
  private let base: ShellBase
  /// One of both, once it is made.
  var window: Window?
  var popup: Popup?
  /// What the client calls its window, without shadows, in the surface's coordinates.
  private var givenGeometry: SceneRectangle?
  private var pendingGeometry: SceneRectangle?
  private(set) var isConfigured = false
  /// Sent and not acknowledged, oldest first.
  private var serials: [UInt32] = []

  init(_ surface: Surface, base: ShellBase) {
    self.surface = surface
    self.base = base
    super.init(surface.compositor)
  }

  var geometry: SceneRectangle {
    guard let surface else { return SceneRectangle(width: 0, height: 0) }
    guard let givenGeometry else { return surface.bounds }
    let part = givenGeometry.intersection(surface.treeBounds)
    return part.isEmpty ? surface.bounds : part
  }

  func mayCommit(_ state: SurfaceState) -> Bool {
    guard window != nil || popup != nil else {
      fail(XDG_SURFACE_ERROR_NOT_CONSTRUCTED.rawValue, "a commit of what is neither window nor popup yet")
      return false
    }
    if case .buffer = state.content, !isConfigured || window == nil && popup == nil {
      fail(XDG_SURFACE_ERROR_UNCONFIGURED_BUFFER.rawValue, "a buffer before the first configure was answered")
      return false
    }
    return true
  }

  func committed(hadPixels: Bool) {
    if let geometry = pendingGeometry { givenGeometry = geometry }
    pendingGeometry = nil
    let hasPixels = surface?.pixels != nil
    if hadPixels, !hasPixels { isConfigured = false }
    if !hasPixels, serials.isEmpty, !isConfigured || hadPixels {
      // The first commit, without a buffer, asks how large it is to be.
      window?.configure()
      popup?.configure()
    }
    window?.committed(hadPixels: hadPixels)
    popup?.committed(hadPixels: hadPixels)
  }

  /// After what the window or popup is told.
  func sendConfigure() {
    guard let resource else { return }
    let serial = compositor.nextSerial()
    serials.append(serial)
    if serials.count > 1024 { serials.removeFirst(512) }
    unsafe xdg_surface_send_configure(resource, serial)
  }

  private func acknowledge(_ serial: UInt32) {
    guard let index = serials.firstIndex(of: serial) else {
      return fail(XDG_SURFACE_ERROR_INVALID_SERIAL.rawValue, "an answer to no configure")
    }
    serials.removeFirst(index + 1)
    isConfigured = true
  }

  private func mayConstruct(_ role: Surface.Role) -> Surface? {
    guard let surface, surface.role == nil || surface.role == role, window == nil, popup == nil else {
      let message = "a window or popup of what is one already"
      if surface?.role == role || surface == nil {
        fail(XDG_SURFACE_ERROR_ALREADY_CONSTRUCTED.rawValue, message)
      } else {
        base.fail(XDG_WM_BASE_ERROR_ROLE.rawValue, message)
      }
      return nil
    }
    surface.role = role
    return surface
  }

  func surfaceIsGone() {
    window?.hide()
    popup?.hide()
    surface = nil
  }

  override func destroyed() {
    surface?.shell = nil
    surface = nil
  }

  private func makeWindow(_ shell: OpaquePointer?, _ id: UInt32) {
    guard mayConstruct(.window) != nil else { return }
    let window = Window(self)
    self.window = window
    unsafe window.appear(for: shell, as: xdg_toplevel_type(), id: id, Window.requests)
    compositor.windows.append(window)
  }

  private func makePopup(
    _ shell: OpaquePointer?, _ id: UInt32, _ parent: ShellSurface?, _ positioner: Positioner
  ) {
    guard let place = positioner.rule else {
      return base.fail(XDG_WM_BASE_ERROR_INVALID_POSITIONER.rawValue, "a positioner without size or anchor")
    }
    guard let parent, !parent.hasAncestor(self), parent.window != nil || parent.popup != nil else {
      return base.fail(XDG_WM_BASE_ERROR_INVALID_POPUP_PARENT.rawValue, "a popup of nothing, or of itself")
    }
    guard compositor.popups.count < compositor.limits.popups else {
      return fail(WL_DISPLAY_ERROR_NO_MEMORY.rawValue, "more than \(compositor.limits.popups) popups")
    }
    guard mayConstruct(.popup) != nil else { return }
    let popup = Popup(self, parent: parent, place)
    self.popup = popup
    unsafe popup.appear(for: shell, as: xdg_popup_type(), id: id, Popup.requests)
    compositor.popups.append(popup)
  }

  /// Whether another one is its parent, its parent's parent and so on, or itself.
  private func hasAncestor(_ other: ShellSurface) -> Bool {
    var next: ShellSurface? = self
    while let shell = next {
      if shell === other { return true }
      next = shell.popup?.parent
    }
    return false
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_surface_requests(
      destroy: { _, shell in
        let object = unsafe ShellSurface.of(shell)
        guard object.window == nil, object.popup == nil else {
          return object.base.fail(
            XDG_WM_BASE_ERROR_DEFUNCT_SURFACES.rawValue, "a surface that is destroyed before its window")
        }
        unsafe wl_resource_destroy(shell)
      },
      get_toplevel: { _, shell, id in unsafe ShellSurface.of(shell).makeWindow(shell, id) },
      get_popup: { _, shell, id, parent, positioner in
        let parent = unsafe parent == nil ? nil : ShellSurface.of(parent)
        unsafe ShellSurface.of(shell).makePopup(shell, id, parent, Positioner.of(positioner))
      },
      set_window_geometry: { _, shell, x, y, width, height in
        let shell = unsafe ShellSurface.of(shell)
        guard width > 0, height > 0 else {
          return shell.fail(XDG_SURFACE_ERROR_INVALID_SIZE.rawValue, "a window without size")
        }
        shell.pendingGeometry = SceneRectangle(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
      },
      ack_configure: { _, shell, serial in unsafe ShellSurface.of(shell).acknowledge(serial) }))
}
