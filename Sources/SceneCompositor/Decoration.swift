internal import CWayland

/// Says that windows have no frames: the host has one around what it shows (`zxdg_toplevel_decoration_v1`).
final class Decoration: WaylandObject {
  private weak var window: Window?

  init(_ window: Window) {
    self.window = window
    super.init(window.compositor)
  }

  func answer() {
    guard let resource else { return }
    unsafe zxdg_toplevel_decoration_v1_send_configure(
      resource, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE.rawValue)
    if let shell = window?.shell, shell.isConfigured { shell.sendConfigure() }
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    zxdg_toplevel_decoration_v1_requests(
      destroy: endResource,
      set_mode: { _, decoration, _ in unsafe Decoration.of(decoration).answer() },
      unset_mode: { _, decoration in unsafe Decoration.of(decoration).answer() }))
}

/// The global that makes them.
final class Decorations: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    zxdg_decoration_manager_v1_requests(
      destroy: endResource,
      get_toplevel_decoration: { _, global, id, window in
        let decoration = unsafe Decoration(Window.of(window))
        unsafe decoration.appear(
          for: global, as: zxdg_toplevel_decoration_v1_type(), id: id, Decoration.requests)
        decoration.answer()
      }))
}

/// The same in KDE's protocol, which GTK speaks: its plain windows draw no frame then, and those with a header bar of their
/// own say so.
final class KDEDecoration: WaylandObject {
  private weak var surface: Surface?

  init(_ surface: Surface) {
    self.surface = surface
    super.init(surface.compositor)
  }

  private func request(_ mode: UInt32) {
    surface?.wantsOwnFrame = mode == ORG_KDE_KWIN_SERVER_DECORATION_MODE_CLIENT.rawValue
    if let resource { unsafe org_kde_kwin_server_decoration_send_mode(resource, mode) }
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    org_kde_kwin_server_decoration_requests(
      release: endResource,
      request_mode: { _, decoration, mode in unsafe KDEDecoration.of(decoration).request(mode) }))
}

/// The global that makes them.
final class KDEDecorations: GlobalObject {
  func announce() {
    if let resource {
      unsafe org_kde_kwin_server_decoration_manager_send_default_mode(
        resource, ORG_KDE_KWIN_SERVER_DECORATION_MANAGER_MODE_SERVER.rawValue)
    }
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    org_kde_kwin_server_decoration_manager_requests(
      create: { _, global, id, surface in
        let decoration = unsafe KDEDecoration(Surface.of(surface))
        unsafe decoration.appear(
          for: global, as: org_kde_kwin_server_decoration_type(), id: id, KDEDecoration.requests)
        if let resource = decoration.resource {
          unsafe org_kde_kwin_server_decoration_send_mode(
            resource, ORG_KDE_KWIN_SERVER_DECORATION_MODE_SERVER.rawValue)
        }
      }))
}
