internal import CWayland

/// The global that makes windows and popups of surfaces (`xdg_wm_base`).
final class ShellBase: GlobalObject {
  private func makeSurface(_ base: OpaquePointer?, _ id: UInt32, _ surface: Surface) {
    guard surface.role == nil || surface.role == .window || surface.role == .popup, surface.shell == nil
    else {
      return fail(XDG_WM_BASE_ERROR_ROLE.rawValue, "a window of a surface that is something else already")
    }
    if surface.pixels != nil {
      return fail(XDG_WM_BASE_ERROR_INVALID_SURFACE_STATE.rawValue, "a window of a surface with a buffer")
    }
    let shell = ShellSurface(surface, base: self)
    surface.shell = shell
    unsafe shell.appear(for: base, as: xdg_surface_type(), id: id, ShellSurface.requests)
  }

  /// Whether it has answered since; whoever asks waits a while.
  func ping() {
    guard let resource else { return }
    unsafe xdg_wm_base_send_ping(resource, compositor.nextSerial())
  }

  override func destroyed() { compositor.shellBases.removeAll { $0 === self } }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_wm_base_requests(
      destroy: endResource,
      create_positioner: { _, base, id in
        let positioner = unsafe Positioner(ShellBase.of(base).compositor)
        unsafe positioner.appear(for: base, as: xdg_positioner_type(), id: id, Positioner.requests)
      },
      get_xdg_surface: { _, base, id, surface in
        unsafe ShellBase.of(base).makeSurface(base, id, Surface.of(surface))
      },
      pong: { _, base, _ in unsafe ShellBase.of(base).compositor.answered() }))
}
