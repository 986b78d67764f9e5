internal import CWayland

/// What a client has asked of a surface and not committed, or committed and not shown: the children of a surface wait for
/// it where they are synchronized.
struct SurfaceState {
  enum Content {
    case unchanged
    case none
    case buffer(ClientBuffer)
  }

  var content = Content.unchanged
  /// In the surface's coordinates.
  var damage = SceneRectangle(width: 0, height: 0)
  /// In the buffer's.
  var bufferDamage = SceneRectangle(width: 0, height: 0)
  var frames: [FrameCallback] = []
  /// Of the outer, nil where it is unchanged.
  var opaque: Region.Area??
  /// Of the inner, nil where it is everything.
  var input: Region.Area??
  var scale: Int?
  /// As `wl_output.transform` numbers them.
  var transform: Int32?
  var viewport: Viewport.Change?

  /// What came later replaces and adds.
  mutating func merge(_ later: SurfaceState) {
    switch later.content {
    case .unchanged: break
    case .none, .buffer:
      if case .buffer(let old) = content { old.release() }
      content = later.content
    }
    damage = damage.union(later.damage)
    bufferDamage = bufferDamage.union(later.bufferDamage)
    frames += later.frames
    opaque = later.opaque ?? opaque
    input = later.input ?? input
    scale = later.scale ?? scale
    transform = later.transform ?? transform
    viewport = later.viewport ?? viewport
  }
}
