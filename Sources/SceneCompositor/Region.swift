internal import CWayland

/// A set of pixels: what was added, without what was taken away since. nil of `wl_surface.set_input_region` is all.
final class Region: WaylandObject {
  /// A client could grow it for ever otherwise.
  private static let mostSteps = 4096

  struct Area {
    fileprivate var steps: [(rectangle: SceneRectangle, adds: Bool)] = []

    func contains(_ x: Double, _ y: Double) -> Bool {
      steps.last { $0.rectangle.contains(x, y) }?.adds ?? false
    }

    /// Whether all of a rectangle is surely in it. False where that would be work to tell.
    func surelyContains(_ rectangle: SceneRectangle) -> Bool {
      guard steps.allSatisfy(\.adds) else { return false }
      return steps.contains { $0.rectangle.intersection(rectangle) == rectangle }
    }
  }

  private(set) var area = Area()

  private func change(_ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32, adds: Bool) {
    guard area.steps.count < Self.mostSteps else {
      return fail(WL_DISPLAY_ERROR_NO_MEMORY.rawValue, "a region of more than \(Self.mostSteps) rectangles")
    }
    area.steps.append(
      (SceneRectangle(x: Int(x), y: Int(y), width: Int(width), height: Int(height)), adds))
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_region_requests(
      destroy: endResource,
      add: { _, region, x, y, width, height in
        unsafe Region.of(region).change(x, y, width, height, adds: true)
      },
      subtract: { _, region, x, y, width, height in
        unsafe Region.of(region).change(x, y, width, height, adds: false)
      }))
}
