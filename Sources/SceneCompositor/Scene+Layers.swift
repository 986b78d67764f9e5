extension Scene {
  /// One surface as it is seen: part of a buffer, at a place of the scene.
  public struct Layer {
    /// Its pixels. They change with the scene's next change.
    public let pixels: PixelBuffer
    /// The part of them that is shown.
    public let source: SceneRectangle
    /// Where, in the scene's coordinates.
    public let place: SceneRectangle
    /// Nothing behind it can be seen.
    public let isOpaque: Bool
    let surface: Surface

    /// What has changed of the pixels since this was called last, in the buffer's pixels. For whoever keeps a copy.
    public func takeDamage() -> SceneRectangle { surface.takeDamage() }
    /// The same while it is the same surface.
    public var identifier: ObjectIdentifier { ObjectIdentifier(surface) }
  }

  /// A popup, which may stand outside of the scene.
  public struct Overlay {
    /// Where its frame stands, without shadows, in the scene's coordinates.
    public let place: SceneRectangle
    /// What is drawn, lowest first, in the scene's coordinates.
    public let layers: [Layer]
    /// It has the keyboard, and goes when something else is clicked.
    public let isGrabbing: Bool
    let popup: Popup

    /// The same while it is the same popup.
    public var identifier: ObjectIdentifier { ObjectIdentifier(popup) }
    /// Tells the extension that it is over.
    public func dismiss() { popup.dismiss() }
  }

  /// The scene's window and what stands over it, lowest first, without popups. Empty where nothing is shown.
  public var layers: [Layer] {
    guard let window, window.isShown else { return [] }
    var layers: [Layer] = []
    for window in [window] + dialogs {
      guard let surface = window.surface else { continue }
      let (start, geometry) = (place(of: window), window.shell.geometry)
      add(surface, at: (start.x - geometry.x, start.y - geometry.y), to: &layers)
    }
    return layers
  }

  /// Its popups, lowest first.
  public var overlays: [Overlay] {
    guard isShown else { return [] }
    return popups.compactMap { popup in
      guard let surface = popup.surface else { return nil }
      let (origin, geometry) = (popup.origin, popup.shell.geometry)
      var layers: [Layer] = []
      add(surface, at: (origin.x - geometry.x, origin.y - geometry.y), to: &layers)
      return Overlay(
        place: SceneRectangle(x: origin.x, y: origin.y, width: geometry.width, height: geometry.height),
        layers: layers, isGrabbing: popup.isGrabbing, popup: popup)
    }
  }

  private func add(_ surface: Surface, at place: (x: Int, y: Int), to layers: inout [Layer]) {
    // A surface without pixels hides its children too (wl_subsurface).
    guard let pixels = surface.pixels else { return }
    for child in surface.stack {
      if let child {
        guard let below = child.surface else { continue }
        add(below, at: (place.x + child.place.x, place.y + child.place.y), to: &layers)
      } else {
        let size = surface.size
        layers.append(
          Layer(
            pixels: pixels, source: surface.source,
            place: SceneRectangle(x: place.x, y: place.y, width: size.width, height: size.height),
            isOpaque: surface.hidesWhatIsBehind, surface: surface))
      }
    }
  }

  /// All of it in one picture of the scene's size, popups cut at its edges. nil where nothing is shown, or where the picture
  /// would be larger than `Limits.pixelBytes`: without a size from the host it is the extension's choice.
  /// - Parameter scale: pixels of the picture for one of the scene.
  public func picture(scale: Int = 1) -> PixelBuffer? {
    let layers = layers
    guard let window, !layers.isEmpty else { return nil }
    let geometry = window.shell.geometry
    let (width, height) = size ?? (geometry.width, geometry.height)
    let bytes = width.multipliedClamped(height).multipliedClamped(4 * scale * scale)
    guard let compositor, bytes <= compositor.limits.pixelBytes else { return nil }
    let picture = PixelBuffer(width: width * scale, height: height * scale)
    for layer in layers + overlays.flatMap(\.layers) {
      let place = SceneRectangle(
        x: layer.place.x * scale, y: layer.place.y * scale, width: layer.place.width * scale,
        height: layer.place.height * scale)
      picture.draw(layer.pixels, part: layer.source, into: place)
    }
    return picture
  }
}

extension Surface {
  /// Of it and its children, in its coordinates.
  var treeBounds: SceneRectangle {
    stack.reduce(bounds) { all, child in
      guard let child, let surface = child.surface, surface.pixels != nil else { return all }
      return all.union(surface.treeBounds.moved(child.place.x, child.place.y))
    }
  }
}
