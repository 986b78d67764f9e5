internal import CWayland

/// What the globals of the clipboard and the primary selection have in common.
class SelectionManager: GlobalObject {
  /// At one time; a program has one or two.
  private static let mostSources = 64

  final func makeSource(
    _ manager: OpaquePointer?, _ id: UInt32, _ selection: Selection, _ requests: UnsafeRawPointer
  ) {
    guard selection.sources < Self.mostSources else {
      return fail(
        WL_DISPLAY_ERROR_NO_MEMORY.rawValue, "more than \(Self.mostSources) sources of a selection")
    }
    let source = SelectionSource(selection, in: compositor)
    unsafe source.appear(for: manager, as: selection.kind.sourceType, id: id, requests)
  }

  final func makeDevice(
    _ manager: OpaquePointer?, _ id: UInt32, _ selection: Selection, _ requests: UnsafeRawPointer
  ) {
    let device = SelectionDevice(selection, in: compositor)
    unsafe device.appear(for: manager, as: selection.kind.deviceType, id: id, requests)
    device.begin()
  }
}

/// The global of the clipboard (`wl_data_device_manager`). GTK has no seat without it, and foot does not start.
final class DataDeviceManager: SelectionManager {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_data_device_manager_requests(
      create_data_source: { _, manager, id in
        let object = unsafe DataDeviceManager.of(manager)
        unsafe object.makeSource(manager, id, object.compositor.clipboard, SelectionSource.requests)
      },
      get_data_device: { _, manager, id, _ in
        let object = unsafe DataDeviceManager.of(manager)
        unsafe object.makeDevice(manager, id, object.compositor.clipboard, SelectionDevice.requests)
      }))
}

/// The global of the primary selection (`zwp_primary_selection_device_manager_v1`).
final class PrimarySelectionManager: SelectionManager {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    zwp_primary_selection_device_manager_v1_requests(
      create_source: { _, manager, id in
        let object = unsafe PrimarySelectionManager.of(manager)
        unsafe object.makeSource(
          manager, id, object.compositor.primarySelection, SelectionSource.primaryRequests)
      },
      get_device: { _, manager, id, _ in
        let object = unsafe PrimarySelectionManager.of(manager)
        unsafe object.makeDevice(
          manager, id, object.compositor.primarySelection, SelectionDevice.primaryRequests)
      },
      destroy: endResource))
}
