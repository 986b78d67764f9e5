internal import CWayland

/// What a client offers (`wl_data_source`, `zwp_primary_selection_source_v1`).
final class SelectionSource: WaylandObject {
  /// More of them, or longer ones, nobody has.
  private static let (mostTypes, longestType) = (64, 256)

  private let selection: Selection
  private(set) var types: [String] = []

  init(_ selection: Selection, in compositor: SceneCompositor) {
    self.selection = selection
    super.init(compositor)
    selection.sources += 1
  }

  private func add(_ type: UnsafePointer<CChar>?) {
    guard let type = unsafe type, types.count < Self.mostTypes else { return }
    let name = unsafe String(cString: type)
    if name.utf8.count <= Self.longestType { types.append(name) }
  }

  /// The client writes it to the descriptor, of which it gets a copy.
  func send(_ type: String, to descriptor: CInt) {
    if let resource { unsafe selection.kind.sendSend(resource, type, descriptor) }
  }

  /// It is of no use any more.
  func cancel() {
    if let resource { unsafe selection.kind.sendCancelled(resource) }
  }

  override func destroyed() {
    selection.sources -= 1
    selection.isGone(self)
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_data_source_requests(
      offer: { _, source, type in unsafe SelectionSource.of(source).add(type) },
      destroy: endResource,
      set_actions: { _, _, _ in }))

  nonisolated(unsafe) static let primaryRequests = unsafe requestTable(
    zwp_primary_selection_source_v1_requests(
      offer: { _, source, type in unsafe SelectionSource.of(source).add(type) },
      destroy: endResource))
}
