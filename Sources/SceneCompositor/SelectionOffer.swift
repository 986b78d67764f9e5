internal import CWayland
internal import LinuxSystem

/// What a client is offered (`wl_data_offer`, `zwp_primary_selection_offer_v1`).
final class SelectionOffer: WaylandObject {
  private let selection: Selection
  private let generation: Int

  init(_ selection: Selection, in compositor: SceneCompositor) {
    self.selection = selection
    generation = selection.generation
    super.init(compositor)
    selection.offers += 1
  }

  /// Takes over the descriptor. Where there is nothing, it is closed, which the client takes for an empty text.
  private func receive(_ type: UnsafePointer<CChar>?, _ descriptor: CInt) {
    let descriptor = FileDescriptor(owning: descriptor)
    guard let type = unsafe type, generation == selection.generation else { return }
    selection.deliver(unsafe String(cString: type), to: descriptor)
  }

  override func destroyed() { selection.offers -= 1 }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_data_offer_requests(
      accept: { _, _, _, _ in },
      receive: { _, offer, type, descriptor in unsafe SelectionOffer.of(offer).receive(type, descriptor) },
      destroy: endResource,
      // Both are for what is dragged, and nothing is.
      finish: { _, offer in
        unsafe SelectionOffer.of(offer).fail(
          WL_DATA_OFFER_ERROR_INVALID_FINISH.rawValue, "the end of a drag that is none")
      },
      set_actions: { _, offer, _, _ in
        unsafe SelectionOffer.of(offer).fail(
          WL_DATA_OFFER_ERROR_INVALID_OFFER.rawValue, "an action of a drag that is none")
      }))

  nonisolated(unsafe) static let primaryRequests = unsafe requestTable(
    zwp_primary_selection_offer_v1_requests(
      receive: { _, offer, type, descriptor in unsafe SelectionOffer.of(offer).receive(type, descriptor) },
      destroy: endResource))
}
