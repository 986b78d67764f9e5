internal import CWayland

/// Where a popup is to stand (`xdg_positioner`).
final class Positioner: WaylandObject {
  /// A copy, since the client may destroy or change it after it was used.
  struct Rule {
    fileprivate var size: (width: Int, height: Int)?
    fileprivate var anchor: SceneRectangle?
    fileprivate var anchorEdge = Edge(0)
    fileprivate var gravity = Edge(0)
    fileprivate var adjustment: UInt32 = 0
    fileprivate var offset = (x: 0, y: 0)
    /// It moves with its parent, without being asked.
    var isReactive = false

    /// In the coordinates of the parent's geometry.
    /// - Parameter room: where it should fit in.
    func place(in room: SceneRectangle) -> SceneRectangle {
      let (x, width) = axis(\.horizontal, room: (room.x, room.width), adjustments: (1, 4, 16))
      let (y, height) = axis(\.vertical, room: (room.y, room.height), adjustments: (2, 8, 32))
      return SceneRectangle(x: x, y: y, width: width, height: height)
    }

    /// One axis: flipped where that helps, then slid, then made smaller (xdg-shell, constraint_adjustment).
    private func axis(
      _ side: KeyPath<Edge, Int>, room: (start: Int, length: Int),
      adjustments: (slide: UInt32, flip: UInt32, resize: UInt32)
    ) -> (Int, Int) {
      let isHorizontal = side == \.horizontal
      let anchor = self.anchor ?? SceneRectangle(width: 0, height: 0)
      let (start, length) = isHorizontal ? (anchor.x, anchor.width) : (anchor.y, anchor.height)
      var extent = (isHorizontal ? size?.width : size?.height) ?? 1
      let offset = isHorizontal ? self.offset.x : self.offset.y
      func position(_ edge: Int, _ gravity: Int, _ offset: Int) -> Int {
        let point = start + (edge + 1) * length / 2 + offset
        return gravity == 0 ? point - extent / 2 : gravity < 0 ? point - extent : point
      }
      let end = room.start + room.length
      func fits(_ place: Int) -> Bool { place >= room.start && place + extent <= end }

      var place = position(anchorEdge[keyPath: side], gravity[keyPath: side], offset)
      if fits(place) { return (place, extent) }
      if adjustment & adjustments.flip != 0 {
        let flipped = position(-anchorEdge[keyPath: side], -gravity[keyPath: side], -offset)
        if fits(flipped) { return (flipped, extent) }
      }
      if adjustment & adjustments.slide != 0 {
        place = min(place, end - extent)
        place = max(place, room.start)
        if fits(place) { return (place, extent) }
      }
      if adjustment & adjustments.resize != 0 {
        let (first, last) = (max(place, room.start), min(place + extent, end))
        if last > first { (place, extent) = (first, last - first) }
      }
      return (place, extent)
    }
  }

  /// As xdg_positioner's anchors and gravities are numbered: -1, 0 or 1 on each axis.
  struct Edge {
    let horizontal: Int
    let vertical: Int

    init(_ value: UInt32) {
      (horizontal, vertical) =
        switch value {
        case 1: (0, -1)
        case 2: (0, 1)
        case 3: (-1, 0)
        case 4: (1, 0)
        case 5: (-1, -1)
        case 6: (-1, 1)
        case 7: (1, -1)
        case 8: (1, 1)
        default: (0, 0)
        }
    }
  }

  private var state = Rule()

  /// nil where it is not complete.
  var rule: Rule? { state.size != nil && state.anchor != nil ? state : nil }

  private func check(_ isRight: Bool, _ what: String) -> Bool {
    if !isRight { fail(XDG_POSITIONER_ERROR_INVALID_INPUT.rawValue, what) }
    return isRight
  }

  /// No sum of a few of them overflows.
  private static func bounded(_ value: Int32) -> Int { Int(value) }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_positioner_requests(
      destroy: endResource,
      set_size: { _, positioner, width, height in
        let positioner = unsafe Positioner.of(positioner)
        guard positioner.check(width > 0 && height > 0, "a popup without size") else { return }
        positioner.state.size = (Int(width), Int(height))
      },
      set_anchor_rect: { _, positioner, x, y, width, height in
        let positioner = unsafe Positioner.of(positioner)
        guard positioner.check(width >= 0 && height >= 0, "an anchor of negative size") else { return }
        positioner.state.anchor = SceneRectangle(
          x: bounded(x), y: bounded(y), width: bounded(width), height: bounded(height))
      },
      set_anchor: { _, positioner, anchor in
        let positioner = unsafe Positioner.of(positioner)
        guard positioner.check(anchor <= 8, "an anchor that is none") else { return }
        positioner.state.anchorEdge = Edge(anchor)
      },
      set_gravity: { _, positioner, gravity in
        let positioner = unsafe Positioner.of(positioner)
        guard positioner.check(gravity <= 8, "a gravity that is none") else { return }
        positioner.state.gravity = Edge(gravity)
      },
      set_constraint_adjustment: { _, positioner, adjustment in
        unsafe Positioner.of(positioner).state.adjustment = adjustment
      },
      set_offset: { _, positioner, x, y in
        unsafe Positioner.of(positioner).state.offset = (bounded(x), bounded(y))
      },
      set_reactive: { _, positioner in unsafe Positioner.of(positioner).state.isReactive = true },
      // The host knows its own size better.
      set_parent_size: { _, _, _, _ in },
      set_parent_configure: { _, _, _ in }))
}
