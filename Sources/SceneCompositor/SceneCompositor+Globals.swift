internal import CWayland

extension SceneCompositor {
  /// What a client finds in the registry.
  func makeGlobals() {
    unsafe add(wl_compositor_type, 5) {
      unsafe bind($0, $1, $2, $3, wl_compositor_type(), Compositor.self, Compositor.requests)
    }
    unsafe add(wl_subcompositor_type, 1) {
      unsafe bind($0, $1, $2, $3, wl_subcompositor_type(), Subcompositor.self, Subcompositor.requests)
    }
    unsafe add(xdg_wm_base_type, 4) { client, context, version, id in
      let base = unsafe bind(
        client, context, version, id, xdg_wm_base_type(), ShellBase.self, ShellBase.requests)
      base.compositor.shellBases.append(base)
    }
    unsafe add(wl_seat_type, 7) { client, context, version, id in
      unsafe bind(client, context, version, id, wl_seat_type(), SeatObject.self, SeatObject.requests)
        .announce()
    }
    unsafe add(wl_output_type, 4) { client, context, version, id in
      let output = unsafe bind(client, context, version, id, wl_output_type(), Output.self, Output.requests)
      output.compositor.outputs.append(output)
      output.announce()
      output.enterAll()
    }
    unsafe add(wl_data_device_manager_type, 3) {
      unsafe bind(
        $0, $1, $2, $3, wl_data_device_manager_type(), DataDeviceManager.self, DataDeviceManager.requests)
    }
    unsafe add(zwp_primary_selection_device_manager_v1_type, 1) {
      unsafe bind(
        $0, $1, $2, $3, zwp_primary_selection_device_manager_v1_type(), PrimarySelectionManager.self,
        PrimarySelectionManager.requests)
    }
    unsafe add(zwp_text_input_manager_v3_type, 1) {
      unsafe bind(
        $0, $1, $2, $3, zwp_text_input_manager_v3_type(), TextInputManager.self, TextInputManager.requests)
    }
    unsafe add(xdg_activation_v1_type, 1) {
      unsafe bind($0, $1, $2, $3, xdg_activation_v1_type(), Activation.self, Activation.requests)
    }
    unsafe add(wp_viewporter_type, 1) {
      unsafe bind($0, $1, $2, $3, wp_viewporter_type(), Viewporter.self, Viewporter.requests)
    }
    unsafe add(wp_fractional_scale_manager_v1_type, 1) {
      unsafe bind(
        $0, $1, $2, $3, wp_fractional_scale_manager_v1_type(), FractionalScales.self,
        FractionalScales.requests)
    }
    unsafe add(zxdg_decoration_manager_v1_type, 1) {
      unsafe bind($0, $1, $2, $3, zxdg_decoration_manager_v1_type(), Decorations.self, Decorations.requests)
    }
    unsafe add(org_kde_kwin_server_decoration_manager_type, 1) { client, context, version, id in
      unsafe bind(
        client, context, version, id, org_kde_kwin_server_decoration_manager_type(), KDEDecorations.self,
        KDEDecorations.requests
      ).announce()
    }
    unsafe add(extk_scene_manager_v1_type, 2) {
      unsafe bind($0, $1, $2, $3, extk_scene_manager_v1_type(), SceneManager.self, SceneManager.requests)
    }
  }

  private func add(
    _ type: () -> UnsafePointer<wl_interface>?, _ version: Int32, _ bind: @escaping wl_global_bind_func_t
  ) {
    unsafe wl_global_create(display, type(), version, Unmanaged.passUnretained(self).toOpaque(), bind)
  }
}

/// Makes the object of a global that a client has bound.
@discardableResult
private func bind<Object: GlobalObject>(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ version: UInt32, _ id: UInt32,
  _ type: UnsafePointer<wl_interface>?, _: Object.Type, _ requests: UnsafeRawPointer
) -> Object {
  guard let context = unsafe context else { preconditionFailure("a global without its compositor") }
  let compositor = unsafe Unmanaged<SceneCompositor>.fromOpaque(context).takeUnretainedValue()
  let object = Object(compositor)
  unsafe object.appear(in: client, as: type, version: Int32(clamping: version), id: id, requests)
  object.countBinding()
  return object
}

extension WaylandObject {
  /// Of some objects a client needs few, and each is told of everything.
  func countBinding() {
    guard !isGone else { return }
    isBinding = true
    compositor.bindingCount += 1
    if compositor.bindingCount > compositor.limits.bindings {
      compositor.fail("more than \(compositor.limits.bindings) globals and devices")
    }
  }
}

/// An object of which a client makes as many as it likes by binding a global.
class GlobalObject: WaylandObject {
  required override init(_ compositor: SceneCompositor) { super.init(compositor) }
}

/// Makes surfaces and regions (`wl_compositor`).
final class Compositor: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_compositor_requests(
      create_surface: { _, global, id in
        unsafe Compositor.of(global).compositor.makeSurface(for: global, id: id)
      },
      create_region: { _, global, id in
        let region = unsafe Region(Compositor.of(global).compositor)
        unsafe region.appear(for: global, as: wl_region_type(), id: id, Region.requests)
      }))
}
