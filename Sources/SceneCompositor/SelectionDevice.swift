internal import CWayland

/// By which a client sets a selection, and hears of it (`wl_data_device`, `zwp_primary_selection_device_v1`).
final class SelectionDevice: WaylandObject {
  /// At one time. A client that keeps so many is offered nothing more: it is frozen, or forgets to destroy them.
  private static let mostOffers = 64

  private let selection: Selection

  init(_ selection: Selection, in compositor: SceneCompositor) {
    self.selection = selection
    super.init(compositor)
  }

  func begin() {
    countBinding()
    selection.devices.append(self)
    if seat.keyboardFocus != nil { tell() }
  }

  /// Says what there is.
  func tell() {
    guard let resource else { return }
    guard let types = selection.offeredTypes, selection.offers < Self.mostOffers else {
      return unsafe selection.kind.sendSelection(resource, nil)
    }
    let offer = SelectionOffer(selection, in: compositor)
    let requests =
      unsafe selection.kind == .clipboard ? SelectionOffer.requests : SelectionOffer.primaryRequests
    unsafe offer.appear(for: resource, as: selection.kind.offerType, id: 0, requests)
    guard let made = offer.resource else { return }
    unsafe selection.kind.sendOffer(resource, made, types)
    unsafe selection.kind.sendSelection(resource, made)
  }

  override func destroyed() { selection.devices.removeAll { $0 === self } }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_data_device_requests(
      // Nothing is dragged from a scene: toolkits stop where the source is cancelled.
      start_drag: { _, _, source, _, _, _ in
        if unsafe source != nil { unsafe SelectionSource.of(source).cancel() }
      },
      set_selection: { _, device, source, serial in
        let source = unsafe source == nil ? nil : SelectionSource.of(source)
        unsafe SelectionDevice.of(device).selection.set(source, serial: serial)
      },
      release: endResource))

  nonisolated(unsafe) static let primaryRequests = unsafe requestTable(
    zwp_primary_selection_device_v1_requests(
      set_selection: { _, device, source, serial in
        let source = unsafe source == nil ? nil : SelectionSource.of(source)
        unsafe SelectionDevice.of(device).selection.set(source, serial: serial)
      },
      destroy: endResource))
}
