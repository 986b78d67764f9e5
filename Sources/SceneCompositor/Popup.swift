internal import CWayland

/// A menu, a list or a tip over a window (`xdg_popup`).
final class Popup: WaylandObject {
  let shell: ShellSurface
  private(set) weak var parent: ShellSurface?
  private var rule: Positioner.Rule
  /// In the coordinates of its parent's geometry.
  private(set) var place: SceneRectangle
  private(set) var isShown = false
  /// It has the keyboard, and goes when something else is clicked.
  private(set) var isGrabbing = false
  /// Known when it was shown, and kept.
  private(set) weak var scene: Scene?

  init(_ shell: ShellSurface, parent: ShellSurface, _ rule: Positioner.Rule) {
    self.shell = shell
    self.parent = parent
    self.rule = rule
    place = rule.place(in: SceneRectangle(width: 0, height: 0))
    super.init(shell.compositor)
  }

  var surface: Surface? { shell.surface }

  /// The window at the end of the chain of parents.
  var window: Window? {
    var next = parent
    while let shell = next {
      if let window = shell.window { return window }
      next = shell.popup?.parent
    }
    return nil
  }

  /// Where its window's geometry begins, in its scene.
  var origin: (x: Int, y: Int) {
    let start = parent?.popup?.origin ?? parent?.window?.scene?.place(of: parent?.window) ?? (x: 0, y: 0)
    return (start.x + place.x, start.y + place.y)
  }

  // MARK: What it is told

  func configure() {
    guard let resource else { return }
    scene = window?.scene ?? scene
    if let scene {
      let start = parent?.popup?.origin ?? scene.place(of: parent?.window)
      place = rule.place(in: scene.room.moved(-start.x, -start.y))
    }
    unsafe xdg_popup_send_configure(
      resource, Int32(clamping: place.x), Int32(clamping: place.y), Int32(clamping: place.width),
      Int32(clamping: place.height))
    shell.sendConfigure()
  }

  /// Its parent has another size.
  func parentHasChanged() { if rule.isReactive, isShown { configure() } }

  /// It is over: the client destroys it then.
  func dismiss() {
    if let resource { unsafe xdg_popup_send_popup_done(resource) }
  }

  // MARK: What it does

  func committed(hadPixels: Bool) {
    let hasPixels = surface?.pixels != nil
    if hasPixels, !isShown {
      isShown = true
      scene = window?.scene ?? scene
      scene?.popupsChanged()
    } else if !hasPixels {
      hide()
    }
  }

  func hide() {
    guard isShown else { return }
    isShown = false
    scene?.popupsChanged()
  }

  override func destroyed() {
    let wasGrabbing = isGrabbing
    isGrabbing = false
    shell.popup = nil
    compositor.popups.removeAll { $0 === self }
    hide()
    if wasGrabbing { scene?.grabChanged() }
  }

  private func reposition(_ positioner: Positioner, token: UInt32) {
    guard let rule = positioner.rule, let resource else { return }
    self.rule = rule
    unsafe xdg_popup_send_repositioned(resource, token)
    configure()
  }

  private func grab() {
    guard !isShown else {
      return fail(XDG_POPUP_ERROR_INVALID_GRAB.rawValue, "a grab of a popup that is shown already")
    }
    isGrabbing = true
    (window?.scene ?? scene)?.grabChanged()
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_popup_requests(
      destroy: endResource,
      grab: { _, popup, _, _ in unsafe Popup.of(popup).grab() },
      reposition: { _, popup, positioner, token in
        unsafe Popup.of(popup).reposition(Positioner.of(positioner), token: token)
      }))
}
