internal import CWayland
public import LinuxSystem

/// A compositor for the interface of one instance of an extension: its windows are scenes that a host shows.
///
/// It has one client, on the connected socket that it is given. It belongs to one thread, which waits for `descriptor` and
/// calls `dispatch()`.
@safe public final class SceneCompositor {
  /// What a client may make it keep.
  public struct Limits: Sendable {
    /// Of all surfaces' pixels.
    public var pixelBytes = 512 << 20
    /// Surfaces at one time.
    public var surfaces = 1024
    /// Popups at one time.
    public var popups = 64
    /// Levels of children of a surface.
    public var depth = 32
    /// Callbacks that wait for one commit.
    public var frames = 1024

    /// What is enough for every toolkit.
    public init() {}
  }

  /// Whose scenes the windows are.
  public enum Naming: Sendable {
    /// The extension says it of each (`extk_scene_manager_v1`, or the scene's token as the window's title).
    case byToken
    /// All windows are the one scene's: a program that knows nothing of scenes.
    case oneScene
  }

  let limits: Limits
  private let naming: Naming
  @safe let display: OpaquePointer
  @safe private var client: OpaquePointer?
  @safe private var clientListener: UnsafeMutablePointer<cwayland_listener>?
  /// Called once, when the client's connection has ended. The text says why, where it was its fault.
  public var onEnd: ((String?) -> Void)?
  /// A line for a log.
  public var onNote: ((String) -> Void)?
  private var failure: String?

  public internal(set) var scenes: [Scene] = []
  /// In the order of their making.
  var windows: [Window] = []
  var popups: [Popup] = []
  var shellBases: [ShellBase] = []
  var outputs: [Output] = []
  let seat: Seat
  /// Bytes of pixels.
  var memory = 0
  private var surfaceCount = 0
  private var turn = 0
  private var hasNotedUntagged = false
  /// The client has not answered a ping since.
  public private(set) var isWaitingForAnswer = false

  /// - Parameters:
  ///   - naming: which windows are whose.
  ///   - scale: of the output, of which a buffer has as many pixels for one of a scene.
  /// - Throws: where there is no memory, or no descriptor.
  public init(naming: Naming, scale: Double = 1, limits: Limits = Limits()) throws(Errno) {
    guard let display = unsafe wl_display_create() else { throw .last }
    self.display = unsafe display
    self.naming = naming
    self.limits = limits
    self.scale = scale
    seat = try Seat()
    unsafe wl_display_init_shm(display)
    makeGlobals()
  }

  deinit {
    // Nobody is told of what goes with it.
    for scene in scenes { scene.onEvent = nil }
    if let clientListener { unsafe cwayland_end_listening(clientListener) }
    unsafe wl_display_destroy_clients(display)
    unsafe wl_display_destroy(display)
  }

  /// Of the output, times 120, as wp_fractional_scale has it.
  public var scale: Double { didSet { if scale != oldValue { outputs.forEach { $0.announce() } } } }

  // MARK: The connection

  /// Takes over the socket of the client, which must be the first and only one.
  public func attach(_ socket: consuming FileDescriptor) throws(Errno) {
    unsafe precondition(client == nil, "a compositor has one client")
    guard let client = unsafe wl_client_create(display, socket.rawValue) else { throw .last }
    _ = socket.take()
    self.client = unsafe client
    clientListener = unsafe cwayland_listen_client(
      client,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<SceneCompositor>.fromOpaque(context).takeUnretainedValue().clientHasGone()
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func clientHasGone() {
    client = nil
    // From the loop, when everything of the client is destroyed.
    hasEnded = true
  }

  private var hasEnded = false

  /// Readable when `dispatch()` has something to do.
  public var descriptor: CInt { unsafe wl_event_loop_get_fd(wl_display_get_event_loop(display)) }

  /// Serves what there is, without waiting.
  public func dispatch() {
    unsafe wl_event_loop_dispatch(wl_display_get_event_loop(display), 0)
    flush()
    endIfGone()
  }

  private func endIfGone() {
    guard hasEnded, let handler = onEnd else { return }
    onEnd = nil
    handler(failure)
  }

  /// Sends what waits for the client.
  public func flush() { unsafe wl_display_flush_clients(display) }

  /// Ends the client's connection.
  public func disconnect() {
    if let client { unsafe wl_client_destroy(client) }
    endIfGone()
  }

  /// Asks the client whether it still answers: `isWaitingForAnswer` until it does.
  public func ping() {
    guard let base = shellBases.last else { return }
    isWaitingForAnswer = true
    base.ping()
    flush()
  }

  func answered() { isWaitingForAnswer = false }

  func failed(_ message: String) { failure = failure ?? message }

  func nextSerial() -> UInt32 { unsafe wl_display_next_serial(display) }

  func nextTurn() -> Int {
    turn += 1
    return turn
  }

  // MARK: Scenes

  /// A scene that the host will show as soon as its window appears.
  /// - Parameters:
  ///   - token: unique; nil for the one scene of a program that knows nothing of scenes.
  ///   - size: nil where the extension chooses.
  public func makeScene(token: String?, size: (width: Int, height: Int)?) -> Scene {
    let scene = Scene(token: token, size: size, in: self)
    scenes.append(scene)
    for window in windows where window.isShown { assign(window) }
    return scene
  }

  /// The one that a window is or will be; nil for dialogs, and where nobody has said it yet.
  func scene(of window: Window) -> Scene? {
    if let scene = window.scene { return scene.window === window ? scene : nil }
    guard window.parent == nil else { return nil }
    switch naming {
    case .byToken:
      guard let surface = window.surface else { return nil }
      return scenes.first { $0.token == surface.sceneToken ?? window.title && $0.window == nil }
    case .oneScene:
      return scenes.first { $0.window == nil }
    }
  }

  func shown(_ window: Window) {
    if let surface = window.surface { outputs.forEach { $0.enter(surface) } }
    assign(window)
  }

  private func assign(_ window: Window) {
    // A dialog whose parent is gone stays where it was.
    if let scene = window.scene ?? window.parent?.scene {
      window.scene = scene
      if scene.window == nil, window.parent == nil, naming == .oneScene { return scene.show(window) }
      return scene.popupsChanged()
    }
    if let scene = scene(of: window) {
      scene.show(window)
    } else if naming == .oneScene, let scene = scenes.first {
      window.scene = scene
      scene.popupsChanged()
    } else if !hasNotedUntagged, window.parent == nil {
      hasNotedUntagged = true
      onNote?("a window that is no scene's is not shown: '\(window.title)'")
    }
  }

  func hidden(_ window: Window) {
    guard let scene = window.scene else { return }
    scene.hide(window)
    seat.forget(window)
    // The next one of a program becomes its scene's window.
    guard naming == .oneScene, scene.window == nil else { return }
    let next = windows.first { $0 !== window && $0.isShown && $0.parent == nil && $0.scene === scene }
    if let next { scene.show(next) }
  }

  func gone(_ window: Window) { windows.removeAll { $0 === window } }

  // MARK: Surfaces

  func makeSurface(for global: OpaquePointer?, id: UInt32) {
    guard surfaceCount < limits.surfaces else {
      if let client { unsafe wl_client_post_no_memory(client) }
      return failed("more than \(limits.surfaces) surfaces")
    }
    surfaceCount += 1
    let surface = Surface(self)
    unsafe surface.appear(for: global, as: wl_surface_type(), id: id, Surface.requests)
    if surface.isGone { surfaceCount -= 1 }
  }

  func changed(_ surface: Surface, isResized: Bool) {
    let top = surface.top
    if surface.role == .cursor { return seat.cursorChanged(surface) }
    if let popup = top.shell?.popup, popup.isShown {
      popup.scene?.popupsChanged()
    } else if let window = top.shell?.window, window.isShown, let scene = window.scene {
      guard !scene.isWithdrawn else { return }
      let start = scene.place(of: window)
      scene.changed(SceneRectangle(x: start.x, y: start.y, width: top.size.width, height: top.size.height))
    }
  }

  func gone(_ surface: Surface) {
    surfaceCount -= 1
    seat.forget(surface)
  }
}
