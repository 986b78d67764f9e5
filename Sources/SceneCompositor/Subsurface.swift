internal import CWayland

/// A surface as a child of another one (`wl_subsurface`).
final class Subsurface: WaylandObject {
  private(set) weak var surface: Surface?
  private(set) weak var parent: Surface?
  /// Among its parent's coordinates.
  private(set) var place = (x: 0, y: 0)
  private var pendingPlace: (x: Int, y: Int)?
  private var waitsForParent = true
  /// Committed, and not shown before its parent is.
  var waiting = SurfaceState()

  init(_ surface: Surface, in parent: Surface) {
    self.surface = surface
    self.parent = parent
    super.init(surface.compositor)
  }

  /// Where one of its ancestors is, so is it.
  var isSynchronized: Bool { waitsForParent || parent?.child?.isSynchronized == true }

  func takeWaiting() -> SurfaceState {
    defer { waiting = SurfaceState() }
    return waiting
  }

  func parentHasCommitted() {
    if let pendingPlace { place = pendingPlace }
    pendingPlace = nil
    if isSynchronized { surface?.apply(takeWaiting()) }
  }

  func parentIsGone() { parent = nil }

  func surfaceIsGone() {
    leaveParent()
    surface = nil
  }

  override func destroyed() {
    surface?.child = nil
    leaveParent()
  }

  private func leaveParent() {
    guard let parent else { return }
    parent.stack.removeAll { $0 === self }
    self.parent = nil
    compositor.changed(parent, isResized: true)
  }

  private func move(_ sibling: Surface, above: Bool) {
    // The parent's own place in its stack is nil.
    guard let parent, sibling === parent || sibling.child?.parent === parent, sibling !== surface else {
      return fail(WL_SUBSURFACE_ERROR_BAD_SURFACE.rawValue, "a sibling that is none")
    }
    parent.stack.removeAll { $0 === self }
    let other = sibling === parent ? nil : sibling.child
    guard let index = parent.stack.firstIndex(where: { $0 === other }) else { return }
    parent.stack.insert(self, at: above ? index + 1 : index)
  }

  private func setSynchronized(_ value: Bool) {
    let was = isSynchronized
    waitsForParent = value
    if was, !isSynchronized { surface?.apply(takeWaiting()) }
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_subsurface_requests(
      destroy: endResource,
      set_position: { _, child, x, y in unsafe Subsurface.of(child).pendingPlace = (Int(x), Int(y)) },
      place_above: { _, child, sibling in
        unsafe Subsurface.of(child).move(Surface.of(sibling), above: true)
      },
      place_below: { _, child, sibling in
        unsafe Subsurface.of(child).move(Surface.of(sibling), above: false)
      },
      set_sync: { _, child in unsafe Subsurface.of(child).setSynchronized(true) },
      set_desync: { _, child in unsafe Subsurface.of(child).setSynchronized(false) }))
}

/// The global that makes them.
final class Subcompositor: GlobalObject {
  private func makeChild(_ global: OpaquePointer?, _ id: UInt32, _ surface: Surface, _ parent: Surface) {
    var ancestor: Surface? = parent
    while let next = ancestor, next !== surface { ancestor = next.child?.parent }
    guard ancestor == nil, surface.role == nil || surface.role == .subsurface, surface.child == nil else {
      return fail(WL_SUBCOMPOSITOR_ERROR_BAD_SURFACE.rawValue, "a child that is something else already")
    }
    guard parent.depth + surface.height < compositor.limits.depth else {
      return fail(WL_DISPLAY_ERROR_NO_MEMORY.rawValue, "children deeper than \(compositor.limits.depth)")
    }
    surface.role = .subsurface
    let child = Subsurface(surface, in: parent)
    surface.child = child
    parent.stack.append(child)
    unsafe child.appear(for: global, as: wl_subsurface_type(), id: id, Subsurface.requests)
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_subcompositor_requests(
      destroy: endResource,
      get_subsurface: { _, global, id, surface, parent in
        unsafe Subcompositor.of(global).makeChild(global, id, Surface.of(surface), Surface.of(parent))
      }))
}

extension Surface {
  /// How many ancestors it has.
  var depth: Int {
    var count = 0
    var next = child?.parent
    while let ancestor = next {
      count += 1
      next = ancestor.child?.parent
    }
    return count
  }

  /// How many levels of children it has.
  var height: Int { stack.reduce(0) { max($0, ($1?.surface?.height ?? -1) + 1) } }

  /// The surface of a window or popup that it belongs to, at last.
  var top: Surface {
    var surface = self
    while let parent = surface.child?.parent { surface = parent }
    return surface
  }
}
