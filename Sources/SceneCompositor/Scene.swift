internal import LinuxSystem

/// One scene of an extension, as its host shows it: the pixels of its window, its dialogs and popups, and where input goes.
///
/// A host's view keeps one and draws `layers`. It belongs to its compositor's thread.
public final class Scene {
  /// What has happened to a scene.
  public enum Event: Equatable {
    /// It has pixels now.
    case shown
    /// It has none any more; it may be shown again.
    case hidden
    /// Something is drawn anew, in the scene's coordinates.
    case changed(SceneRectangle)
    /// Popups or dialogs came, went or moved.
    case overlaysChanged
    /// Its window has another title.
    case titleChanged
    /// It wants another size: see `preferredSize`.
    case preferredSizeChanged
    /// An entry of it takes text, describes itself otherwise, or takes none any more: see `textInput`.
    case textInputChanged
    /// It would like to be brought to the front. At most once a second, and not while it has the keyboard.
    case wantsAttention
    /// Its program has not answered `SceneCompositor.ping` in time.
    case unresponsive
    /// It has, after that.
    case responsive
    /// Another cursor is to be shown over it.
    case cursorChanged
    /// The person has left its last entry by Tab, or its first one backward: what is beside the scene is next.
    case focusLeaves(Direction)
    /// The extension has ended it, since it was told to or by itself, and says nothing of it any more.
    case ended
  }

  /// By which the extension says which of its windows it is; nil where all windows are this scene's.
  public let token: String?
  /// Called on the compositor's thread: from `dispatch()`, and also from within the host's own calls where they have an effect
  /// at once: `close()`, `withdraw()`, the keyboard's going, a click that dismisses a popup, one that finds the client gone.
  public var onEvent: ((Event) -> Void)?
  /// Where popups may stand, in the scene's coordinates. As large as the scene unless the host sets it.
  public var room: SceneRectangle {
    get {
      let size = size ?? shownSize
      return givenRoom ?? SceneRectangle(width: size.width, height: size.height)
    }
    set { givenRoom = newValue }
  }

  /// The host's colour for what is chosen and what is suggested, 0xRRGGBB; nil: the toolkit's own. For extensions that use
  /// the SDK's contents.
  public var tint: UInt32? {
    didSet { if tint != oldValue { tintChanged() } }
  }

  /// nil once the host has let go of it: nothing happens any more.
  private(set) weak var compositor: SceneCompositor?
  private(set) var window: Window?
  /// nil: the extension chooses.
  private(set) var size: (width: Int, height: Int)?
  private var givenRoom: SceneRectangle?
  /// The host does not show it any more: its windows are nobody's.
  private(set) var isWithdrawn = false
  /// The client has not been told the newest size.
  private var owesSize = false
  private var lastWish: MonotonicTime?
  private var lastPreferredSize = (width: 0, height: 0)

  init(token: String?, size: (width: Int, height: Int)?, in compositor: SceneCompositor) {
    self.token = token
    self.size = size
    self.compositor = compositor
  }

  /// Whether there is something to see.
  public var isShown: Bool { window?.isShown == true }
  /// The title of its window.
  public var title: String { window?.title ?? "" }

  /// What its window takes when nobody says how large it is, or at least; 0 where that is not known.
  public var preferredSize: (width: Int, height: Int) {
    guard let window else { return (0, 0) }
    let minimum = window.minimumSize
    if size != nil { return minimum }
    let geometry = window.shell.geometry
    return (max(minimum.width, geometry.width), max(minimum.height, geometry.height))
  }

  /// How large the window is, without shadows; it follows `resize` some time later.
  public var shownSize: (width: Int, height: Int) {
    guard let geometry = window?.shell.geometry else { return (0, 0) }
    return (geometry.width, geometry.height)
  }

  /// Tells the extension how large the scene is, in pixels before the scale.
  public func resize(width: Int, height: Int) {
    let new = (width: max(1, width), height: max(1, height))
    if let size, size == new { return }
    size = new
    owesSize = !maySendMore
    if !owesSize { sendSize() }
  }

  var maySendMore: Bool { compositor?.maySendMore() ?? false }

  private func sendSize() {
    owesSize = false
    guard let window, window.shell.isConfigured else { return }
    window.configure()
    for popup in compositor?.popups ?? [] where popup.window === window { popup.parentHasChanged() }
  }

  /// The client reads again.
  func catchUp() { if owesSize { sendSize() } }

  /// The extension may draw again: call it after each frame that the host has shown, and not while the scene is hidden.
  public func frameShown(milliseconds time: UInt32) {
    for surface in surfaces { surface.sendFrames(time) }
    compositor?.flush()
  }

  /// Whether it waits for `frameShown` before it draws on. A host whose screen has a rhythm asks after each `dispatch()`.
  public var waitsForFrame: Bool { surfaces.contains(where: \.waitsForFrame) }

  /// Closes it as a window manager would: popups first, then dialogs, then the window. Call it again every 200 ms until it
  /// is gone; a program may ask the person, or do nothing.
  public func close() {
    defer { compositor?.flush() }
    let open = popups
    if !open.isEmpty { return open.reversed().forEach { $0.dismiss() } }
    if let dialog = dialogs.last { return dialog.close() }
    window?.close()
  }

  /// Shows nothing of it any more, whatever the extension does: no input, no frames. For one that does not end in time; the
  /// extension is told to end it, too.
  public func withdraw() {
    for control in controls { control.tellToEnd() }
    isWithdrawn = true
    compositor?.seat.forget(self)
    // Also when this is gone.
    for window in compositor?.windows ?? [] where window.scene === self { window.isWithdrawn = true }
    let hadWindow = isShown
    window = nil
    compositor?.scenes.removeAll { $0 === self }
    compositor?.flush()
    if hadWindow { onEvent?(.hidden) }
  }

  // MARK: For the compositor

  /// Dialogs and other windows over it, lowest first.
  var dialogs: [Window] {
    (compositor?.windows ?? []).filter { $0.scene === self && $0 !== window && $0.isShown }
      .sorted { $0.turn < $1.turn }
  }

  var popups: [Popup] { (compositor?.popups ?? []).filter { $0.scene === self && $0.isShown } }

  /// The surfaces of its window, dialogs and popups, lowest first.
  private var surfaces: [Surface] {
    guard let window, window.isShown else { return [] }
    return ([window] + dialogs).compactMap(\.surface) + popups.compactMap(\.surface)
  }

  func show(_ window: Window) {
    self.window = window
    window.scene = self
    // It may have drawn in another size, not knowing whose it is.
    if let size, size != (window.shell.geometry.width, window.shell.geometry.height) { window.configure() }
    compositor?.seat.sceneHasChanged(self)
    onEvent?(.shown)
    noteSizes()
  }

  func hide(_ window: Window) {
    guard self.window === window else { return popupsChanged() }
    self.window = nil
    compositor?.seat.sceneHasChanged(self)
    onEvent?(.hidden)
  }

  /// Something of it was committed.
  func changed(_ area: SceneRectangle) {
    noteSizes()
    onEvent?(.changed(area))
  }

  private func noteSizes() {
    let size = preferredSize
    guard size != lastPreferredSize else { return }
    lastPreferredSize = size
    onEvent?(.preferredSizeChanged)
  }

  func popupsChanged() {
    guard !isWithdrawn else { return }
    compositor?.seat.sceneHasChanged(self)
    onEvent?(.overlaysChanged)
  }

  func wantsAttention() {
    let now = MonotonicTime.now
    if isWithdrawn || hasKeyboard { return }
    if let lastWish, now - lastWish < .seconds(1) { return }
    lastWish = now
    onEvent?(.wantsAttention)
  }

  func textInputChanged() { onEvent?(.textInputChanged) }
  func titleChanged() { onEvent?(.titleChanged) }
  func cursorChanged() { onEvent?(.cursorChanged) }

  /// Where the geometry of one of its windows begins: the scene's own at its corner, others in its middle.
  func place(of other: Window?) -> (x: Int, y: Int) {
    guard let other, other !== window, let window else { return (0, 0) }
    let (own, room) = (
      other.shell.geometry, size ?? (window.shell.geometry.width, window.shell.geometry.height)
    )
    return (max(0, (room.width - own.width) / 2), max(0, (room.height - own.height) / 2))
  }
}
