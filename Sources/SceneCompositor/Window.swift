internal import CWayland

/// A window of the client (`xdg_toplevel`): a scene, or a dialog over one.
final class Window: WaylandObject {
  let shell: ShellSurface
  private(set) var title = ""
  private(set) var applicationID = ""
  /// nil for one that stands by itself.
  private(set) weak var parent: Window?
  /// What it shows or showed: kept when its parent is gone before it.
  weak var scene: Scene?
  /// Its scene was withdrawn: it is nobody's for ever.
  var isWithdrawn = false
  /// At least; 0 where the client does not say.
  private(set) var minimumSize = (width: 0, height: 0)
  private var pendingMinimum: (width: Int, height: Int)?
  private(set) var isShown = false
  /// The order in which windows were shown, for those who stand over others.
  private(set) var turn = 0

  init(_ shell: ShellSurface) {
    self.shell = shell
    super.init(shell.compositor)
  }

  var surface: Surface? { shell.surface }

  /// Parent, grandparent and so on.
  func descends(from other: Window) -> Bool {
    var next = parent
    while let window = next {
      if window === other { return true }
      next = window.parent
    }
    return false
  }

  // MARK: What it is told

  func configure() {
    guard let resource else { return }
    // Without a scene it is a dialog, or nobody knows yet: it chooses its size.
    let scene = compositor.scene(of: self)
    let size = scene?.size ?? (0, 0)
    var states = unsafe wl_array()
    unsafe wl_array_init(&states)
    defer { unsafe wl_array_release(&states) }
    unsafe Self.add(XDG_TOPLEVEL_STATE_ACTIVATED, to: &states)
    // The only way to keep GTK from drawing a header bar; SDL would minimize its other windows, but never asks for this.
    if surface?.wantsOwnFrame == true, scene != nil {
      unsafe Self.add(XDG_TOPLEVEL_STATE_FULLSCREEN, to: &states)
    }
    unsafe xdg_toplevel_send_configure(
      resource, Int32(clamping: size.width), Int32(clamping: size.height), &states)
    shell.sendConfigure()
  }

  private static func add(_ state: xdg_toplevel_state, to states: inout wl_array) {
    guard let place = unsafe wl_array_add(&states, MemoryLayout<UInt32>.size) else { return }
    unsafe place.storeBytes(of: state.rawValue, as: UInt32.self)
  }

  /// Asks it to close. It may ask the person first, or do nothing.
  func close() {
    if let resource { unsafe xdg_toplevel_send_close(resource) }
  }

  // MARK: What it does

  func committed(hadPixels: Bool) {
    if let pendingMinimum { minimumSize = pendingMinimum }
    pendingMinimum = nil
    let hasPixels = surface?.pixels != nil
    if hasPixels, !isShown {
      isShown = true
      turn = compositor.nextTurn()
      compositor.assign(self)
    } else if !hasPixels {
      hide()
    }
  }

  func hide() {
    guard isShown else { return }
    isShown = false
    // What stood over it stands over its parent now, or by itself (xdg_toplevel.set_parent).
    for window in compositor.windows where window.parent === self { window.parent = parent }
    compositor.hidden(self)
  }

  override func destroyed() {
    hide()
    shell.window = nil
    shell.begin()
    compositor.gone(self)
  }

  private func setParent(_ parent: Window?) {
    if let parent, parent === self || parent.descends(from: self) {
      return fail(XDG_TOPLEVEL_ERROR_INVALID_PARENT.rawValue, "a window that would be its own parent")
    }
    self.parent = parent
    // What is a scene's own window stays that, whatever it stands over.
    if let parent, scene == nil || scene?.window !== self { scene = parent.scene }
  }

  private func setTitle(_ text: String) {
    title = text
    if let scene, scene.window === self { scene.titleChanged() }
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return String(
      unsafe String(cString: pointer).unicodeScalars.prefix(1024).reduce(into: "") {
        $0.unicodeScalars.append($1)
      })
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_toplevel_requests(
      destroy: endResource,
      set_parent: { _, window, parent in
        unsafe Window.of(window).setParent(parent == nil ? nil : Window.of(parent))
      },
      set_title: { _, window, title in unsafe Window.of(window).setTitle(Window.text(title)) },
      set_app_id: { _, window, name in unsafe Window.of(window).applicationID = Window.text(name) },
      // Where a scene stands and how large it is is the host's to say: these are answered as they were, or not at all.
      show_window_menu: { _, _, _, _, _, _ in },
      move: { _, _, _, _ in },
      resize: { _, _, _, _, _ in },
      set_max_size: { _, _, _, _ in },
      set_min_size: { _, window, width, height in
        let window = unsafe Window.of(window)
        guard width >= 0, height >= 0 else {
          return window.fail(XDG_TOPLEVEL_ERROR_INVALID_SIZE.rawValue, "a negative size")
        }
        window.pendingMinimum = (Int(width), Int(height))
      },
      set_maximized: { _, window in unsafe Window.of(window).configureAgain() },
      unset_maximized: { _, window in unsafe Window.of(window).configureAgain() },
      set_fullscreen: { _, window, _ in unsafe Window.of(window).configureAgain() },
      unset_fullscreen: { _, window in unsafe Window.of(window).configureAgain() },
      set_minimized: { _, _ in }))

  /// Whether it draws its own.
  func frameChanged() { configureAgain() }

  /// The protocol wants an answer to each wish.
  private func configureAgain() { if shell.isConfigured { configure() } }
}
