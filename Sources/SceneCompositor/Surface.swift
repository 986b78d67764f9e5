internal import CWayland

/// A surface: pixels, where they stand among its children, and what it is used as.
final class Surface: WaylandObject {
  /// Set once; another one is the client's fault.
  enum Role { case window, popup, subsurface, cursor }

  var role: Role?
  var pending = SurfaceState()

  // What is shown.
  private(set) var pixels: PixelBuffer?
  private(set) var isOpaque = false
  private(set) var scale = 1
  private(set) var transform: Int32 = 0
  private var view = Viewport.Change()
  private var opaque: Region.Area?
  private var input: Region.Area?
  private var frames: [FrameCallback] = []
  /// Shown, committed and pending ones.
  var frameCount = 0
  /// Committed, and to be copied when there is time: see `SceneCompositor.Limits.turnBytes`.
  private var held: (buffer: ClientBuffer, part: SceneRectangle)?
  /// What has changed of the pixels since the view has taken it, in the buffer's pixels.
  private(set) var damage = SceneRectangle(width: 0, height: 0)

  weak var viewport: Viewport?
  weak var fractionalScale: FractionalScale?
  /// As a window or popup.
  var shell: ShellSurface?
  /// As a child of another one.
  var child: Subsurface?
  /// Its children and itself (nil), lowest first.
  var stack: [Subsurface?] = [nil]
  /// The same from its next commit on.
  var nextStack: [Subsurface?] = [nil]
  /// Where its tree was drawn last, in its coordinates.
  var drawn = SceneRectangle(width: 0, height: 0)
  /// As `extk_scene_manager_v1` has it.
  var sceneToken: String?
  /// It draws its own frame, as GTK does where a window has a header bar of its own.
  var wantsOwnFrame = false { didSet { if wantsOwnFrame != oldValue { shell?.window?.frameChanged() } } }

  /// Its size for others.
  var size: (width: Int, height: Int) {
    if let size = view.destination { return (size.width, size.height) }
    if let source = view.source { return (Int(source.width.rounded(.up)), Int(source.height.rounded(.up))) }
    guard let pixels else { return (0, 0) }
    return transform % 2 == 0
      ? (pixels.width / scale, pixels.height / scale) : (pixels.height / scale, pixels.width / scale)
  }

  var bounds: SceneRectangle { SceneRectangle(width: size.width, height: size.height) }

  /// The part of the pixels that is shown.
  var source: SceneRectangle {
    guard let pixels else { return bounds }
    guard let part = view.source, transform == 0 else { return pixels.bounds }
    return SceneRectangle(
      x: Int(part.x * Double(scale)), y: Int(part.y * Double(scale)),
      width: Int((part.width * Double(scale)).rounded(.up)),
      height: Int((part.height * Double(scale)).rounded(.up))
    ).intersection(pixels.bounds)
  }

  /// Whether nothing behind it can be seen.
  var hidesWhatIsBehind: Bool { pixels != nil && (isOpaque || opaque?.surelyContains(bounds) == true) }

  func takes(_ x: Double, _ y: Double) -> Bool {
    pixels != nil && bounds.contains(x, y) && (input?.contains(x, y) ?? true)
  }

  // MARK: Committing

  func commit() {
    guard shell?.mayCommit(pending) ?? true else { return }
    var state = pending
    pending = SurfaceState()
    if let child {
      child.wait(state)
      guard !child.isSynchronized, let all = child.takeWaiting() else { return }
      state = all
    }
    apply(state)
  }

  /// Shows what was committed, its children's too that have waited for it.
  func apply(_ state: SurfaceState) {
    guard !isGone else { return }
    let before = size
    let hadPixels = pixels != nil
    scale = state.scale ?? scale
    transform = state.transform ?? transform
    view = state.viewport ?? view
    if let opaque = state.opaque { self.opaque = opaque }
    if let input = state.input { self.input = input }
    switch state.content {
    case .unchanged: break
    case .none: setPixels(nil)
    case .buffer(let buffer): guard take(buffer, state) else { return }
    }
    guard checkView() else { return }
    frames += state.frames
    stack = nextStack
    for child in stack { child?.parentHasCommitted() }
    shell?.committed(hadPixels: hadPixels)
    compositor.changed(self, isResized: before != size || hadPixels != (pixels != nil))
  }

  private func setPixels(_ new: PixelBuffer?) {
    compositor.memory += (new?.byteCount ?? 0) - (pixels?.byteCount ?? 0)
    held?.buffer.release()
    held = nil
    let (had, has) = (pixels != nil, new != nil)
    pixels = new
    if has != had { for output in compositor.outputs { has ? output.enter(self) : output.leave(self) } }
  }

  /// False where the client's connection has ended for it.
  private func take(_ buffer: ClientBuffer, _ state: SurfaceState) -> Bool {
    guard !buffer.isDestroyed else { return true }
    guard let shape = buffer.shape else {
      fail(WL_DISPLAY_ERROR_INVALID_OBJECT.rawValue, "a buffer that is not in shared memory")
      return false
    }
    // The library checks it against the width in pixels.
    guard shape.stride >= shape.width * 4 else {
      fail(WL_SURFACE_ERROR_INVALID_SIZE.rawValue, "a buffer whose lines are shorter than their pixels")
      return false
    }
    // Cursors of some themes are not.
    let isMultiple = shape.width % scale == 0 && shape.height % scale == 0
    guard isMultiple || view.destination != nil || role == .cursor else {
      fail(WL_SURFACE_ERROR_INVALID_SIZE.rawValue, "a buffer whose size is no multiple of its scale")
      return false
    }
    let isNew = pixels?.width != shape.width || pixels?.height != shape.height
    if isNew {
      let bytes = shape.width * shape.height * 4
      guard compositor.memory - (pixels?.byteCount ?? 0) + bytes <= compositor.limits.pixelBytes else {
        fail(WL_DISPLAY_ERROR_NO_MEMORY.rawValue, "more pixels than \(compositor.limits.pixelBytes) bytes")
        return false
      }
      setPixels(PixelBuffer(width: shape.width, height: shape.height))
    }
    guard let pixels else { return true }
    let changed = isNew || isOpaque != shape.isOpaque ? pixels.bounds : changed(by: state, in: pixels)
    isOpaque = shape.isOpaque
    let part = held?.part.union(changed) ?? changed
    if let held, held.buffer.isAnother(than: buffer) { held.buffer.release() }
    held = (buffer, part)
    if compositor.hasTime(for: part.width * part.height * 4) { copyHeld() } else { compositor.wait(self) }
    return true
  }

  /// Copies what was committed.
  func copyHeld() {
    guard let (buffer, part) = held else { return }
    held = nil
    guard let pixels, let shape = buffer.shape else { return }
    unsafe buffer.read { unsafe pixels.copy(part, from: $0, stride: shape.stride, opaque: shape.isOpaque) }
    buffer.release()
    damage = damage.union(part)
  }

  var heldBytes: Int { held.map { $0.part.width * $0.part.height * 4 } ?? 0 }

  /// False where the client's connection has ended, since it wants to show what its buffer does not have.
  private func checkView() -> Bool {
    guard let part = view.source, let pixels, let viewport else { return true }
    let isTurned = transform % 2 != 0
    let width = Double(isTurned ? pixels.height : pixels.width) / Double(scale)
    let height = Double(isTurned ? pixels.width : pixels.height) / Double(scale)
    guard part.x + part.width <= width, part.y + part.height <= height else {
      viewport.fail(WP_VIEWPORT_ERROR_OUT_OF_BUFFER.rawValue, "a part that is outside of the buffer")
      return false
    }
    let isWhole = part.width == part.width.rounded() && part.height == part.height.rounded()
    guard isWhole || view.destination != nil else {
      viewport.fail(WP_VIEWPORT_ERROR_BAD_SIZE.rawValue, "a size that is no whole number")
      return false
    }
    return true
  }

  private func changed(by state: SurfaceState, in pixels: PixelBuffer) -> SceneRectangle {
    // Of parts and turns the whole is taken: they are rare.
    if !state.damage.isEmpty, view.destination != nil || view.source != nil || transform != 0 {
      return pixels.bounds
    }
    let scaled = SceneRectangle(
      x: state.damage.x.multipliedClamped(scale), y: state.damage.y.multipliedClamped(scale),
      width: state.damage.width.multipliedClamped(scale), height: state.damage.height.multipliedClamped(scale)
    )
    return scaled.union(state.bufferDamage).intersection(pixels.bounds)
  }

  /// Whoever shows the pixels has taken what had changed.
  func takeDamage() -> SceneRectangle {
    defer { damage = SceneRectangle(width: 0, height: 0) }
    return damage
  }

  /// Where it is drawn anew, in the coordinates of the surface on top of its tree.
  /// - Parameter isWhole: its children may have moved.
  func takeDrawn(isWhole: Bool) -> SceneRectangle {
    let area = isWhole ? treeBounds : bounds
    defer { drawn = area }
    var place = (x: 0, y: 0)
    var next = child
    while let child = next {
      place = (place.x + child.place.x, place.y + child.place.y)
      next = child.parent?.child
    }
    return area.union(drawn).moved(place.x, place.y)
  }

  var waitsForFrame: Bool { !frames.isEmpty }

  /// The client may draw again: what it drew is shown.
  func sendFrames(_ time: UInt32) {
    let due = frames
    frames = []
    for frame in due { frame.send(time) }
    for child in stack { child?.surface?.sendFrames(time) }
  }

  override func destroyed() {
    setPixels(nil)
    // The client cannot destroy them itself.
    let waiting = (child?.takeWaiting()?.frames ?? []) + frames + pending.frames
    (frames, pending) = ([], SurfaceState())
    for frame in waiting { frame.destroyResource() }
    child?.surfaceIsGone()
    shell?.surfaceIsGone()
    for child in nextStack { child?.parentIsGone() }
    (stack, nextStack) = ([nil], [nil])
    // Last: until then it is no window's any more, and nobody gives it the keyboard again.
    compositor.gone(self)
  }
}

extension Int {
  func multipliedClamped(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
