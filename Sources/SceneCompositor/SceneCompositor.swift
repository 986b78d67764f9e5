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
    public var pixelBytes = 256 << 20
    /// Of the pixels that are copied before the host's other work has its turn.
    public var turnBytes = 64 << 20
    /// Objects of the protocol, of all kinds.
    public var objects = 16384
    /// Buffers and pools of them, each of which holds a mapping.
    public var mappings = 4096
    /// Globals bound, and devices of seats: each of them is told what happens.
    public var bindings = 256
    /// Surfaces at one time.
    public var surfaces = 1024
    /// Popups at one time.
    public var popups = 64
    /// Levels of children of a surface.
    public var depth = 32
    /// Frame callbacks of a surface that wait.
    public var frames = 1024
    /// Of a text that it gives to the host.
    public var textBytes = 1 << 20
    /// For a text that it takes from the host.
    public var textTime = Duration.seconds(10)
    /// Texts that go to and fro at one time.
    public var transfers = 16

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
  let naming: Naming
  @safe let display: OpaquePointer
  @safe private var client: OpaquePointer?
  @safe private var clientListener: UnsafeMutablePointer<cwayland_listener>?
  /// Called once, when the client's connection has ended. The text says why, where it was its fault.
  public var onEnd: ((String?) -> Void)?
  /// A line for a log.
  public var onNote: ((String) -> Void)?
  private var failure: String?
  /// The client's objects, counted in C.
  @safe private var objects: UnsafeMutablePointer<cwayland_objects>?
  @safe private var logger: OpaquePointer?
  /// Wakes the host's loop where there is something to say that came from no event.
  @safe private var alarm: OpaquePointer?

  public internal(set) var scenes: [Scene] = []
  /// In the order of their making.
  var windows: [Window] = []
  var popups: [Popup] = []
  var shellBases: [ShellBase] = []
  var outputs: [Output] = []
  var controls: [SceneControl] = []
  var fractionalScales: [FractionalScale] = []
  let seat: Seat
  /// What was copied last, by host or extension.
  public let clipboard = Selection(.clipboard)
  /// What is marked, which a middle click pastes.
  public let primarySelection = Selection(.primary)
  var transfers: [Transfer] = []
  /// Bytes of pixels.
  var memory = 0
  private var surfaceCount = 0
  var bindingCount = 0
  private var turnBytes = 0
  /// Whose pixels are to be copied in the next turn.
  private var waiting: [Surface] = []
  private var turn = 0
  /// A window that is no scene's was noted: once is enough.
  var hasNotedUntagged = false
  let pinger = Pinger()

  /// - Parameters:
  ///   - naming: which windows are whose.
  ///   - scale: of the output, of which a buffer has as many pixels for one of a scene.
  ///   - keymap: of the host's keyboard; nil: the system's own.
  /// - Throws: where there is no memory, or no descriptor.
  public init(naming: Naming, scale: Double = 1, keymap: Keymap? = nil, limits: Limits = Limits())
    throws(Errno)
  {
    // First what may throw: nothing of the display would be ended then.
    seat = try Seat(keymap)
    guard let display = unsafe wl_display_create() else { throw .last }
    self.display = unsafe display
    self.naming = naming
    self.limits = limits
    self.scale = scale
    unsafe wl_display_init_shm(display)
    pinger.begin(in: self)
    clipboard.begin(in: self)
    primarySelection.begin(in: self)
    makeGlobals()
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    logger = unsafe wl_display_add_protocol_logger(
      display,
      { context, type, message in
        guard let context = unsafe context, let text = unsafe cwayland_error_text(type, message) else {
          return
        }
        unsafe Unmanaged<SceneCompositor>.fromOpaque(context).takeUnretainedValue().failed(
          String(cString: text))
      }, context)
    alarm = unsafe wl_event_loop_add_timer(wl_display_get_event_loop(display), { _ in 0 }, nil)
  }

  deinit {
    // Nobody is told of what goes with it.
    for scene in scenes { scene.onEvent = nil }
    clipboard.onSelection = nil
    primarySelection.onSelection = nil
    // What waits in the loop goes before the loop.
    transfers = []
    pinger.end()
    if let clientListener { unsafe cwayland_end_listening(clientListener) }
    unsafe wl_display_destroy_clients(display)
    if let objects { unsafe cwayland_free(objects) }
    if let logger { unsafe wl_protocol_logger_destroy(logger) }
    if let alarm { unsafe wl_event_source_remove(alarm) }
    unsafe wl_display_destroy(display)
  }

  /// Of the output: pixels for one of a scene.
  public var scale: Double {
    didSet {
      guard scale != oldValue else { return }
      outputs.forEach { $0.announce() }
      fractionalScales.forEach { $0.announce() }
    }
  }

  /// Of the host's keyboard.
  public var keymap: Keymap {
    get { seat.keymap }
    set { seat.setKeymap(newValue) }
  }

  // MARK: The connection

  /// Takes over the socket of the client, which must be the first and only one.
  public func attach(_ socket: consuming FileDescriptor) throws(Errno) {
    unsafe precondition(client == nil, "a compositor has one client")
    guard let client = unsafe wl_client_create(display, socket.rawValue) else { throw .last }
    room = cwayland_room(socket.rawValue)
    _ = socket.take()
    self.client = unsafe client
    clientListener = unsafe cwayland_listen_client(
      client,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<SceneCompositor>.fromOpaque(context).takeUnretainedValue().clientHasGone()
      }, Unmanaged.passUnretained(self).toOpaque())
    objects = unsafe cwayland_watch_objects(
      client,
      { context, count, mappings in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<SceneCompositor>.fromOpaque(context).takeUnretainedValue().made(count, mappings)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func made(_ count: Int, _ mappings: Int) {
    if count > limits.objects { fail("more than \(limits.objects) objects") }
    if mappings > limits.mappings { fail("more than \(limits.mappings) buffers") }
  }

  private func clientHasGone() {
    if fullness >= Self.half { failed("it does not read what it is sent") }
    client = nil
    hasEnded = true
    // It may have been found in a call of the host's own, which must not be called back from there.
    wake()
  }

  private func wake() { if let alarm { unsafe wl_event_source_timer_update(alarm, 1) } }

  private(set) var hasEnded = false
  private var isDispatching = false
  private var isToDisconnect = false

  /// Readable when `dispatch()` has something to do.
  public var descriptor: CInt { unsafe wl_event_loop_get_fd(wl_display_get_event_loop(display)) }

  /// Serves what there is, without waiting.
  public func dispatch() {
    isDispatching = true
    turnBytes = 0
    copyWaiting()
    unsafe wl_event_loop_dispatch(wl_display_get_event_loop(display), 0)
    isDispatching = false
    if isToDisconnect { return disconnect() }
    catchUp()
    flush()
    endIfGone()
  }

  private func endIfGone() {
    guard hasEnded, let handler = onEnd else { return }
    onEnd = nil
    handler(failure)
  }

  /// Sends what waits for the client.
  public func flush() {
    // The library destroys a client that is gone: not while one of its requests is served, and not a second time.
    guard !isDispatching, unsafe client != nil else { return }
    unsafe wl_display_flush_clients(display)
    // The library would keep it, and send it nothing any more.
    guard let client, fullness >= Self.tooFull else { return }
    failed("it does not read what it is sent")
    unsafe wl_client_destroy(client)
  }

  /// Ends the client's connection.
  public func disconnect() {
    // One of its requests may be on the way to the caller.
    guard !isDispatching else { return isToDisconnect = true }
    if let client { unsafe wl_client_destroy(client) }
    endIfGone()
  }

  /// Ends the client's connection for something that no object of its stands for.
  func fail(_ message: String) {
    failed(message)
    if let client { unsafe cwayland_post_client_error(client, message) }
  }

  // MARK: A client that does not read

  // What the kernel keeps for it is bounded. In percent of that.
  private static let (few, half, tooFull): (CInt, CInt, CInt) = (15, 50, 75)
  private var fullness: CInt {
    unsafe client.map { unsafe cwayland_fullness(wl_client_get_fd($0), room) } ?? 0
  }
  /// Of the client's socket. The kernel is asked once: each frame looks at how full it is, several times.
  private var room: CInt = 0
  private var owes = false

  /// Whether it may be sent what can as well be said later, in its newest form: where the pointer is, how large a scene is.
  /// Where it may not, that is done when it reads again.
  func maySendMore() -> Bool {
    guard fullness >= Self.few else { return true }
    if !owes {
      owes = true
      // Its answer is the sign.
      if !isWaitingForAnswer { ping() }
    }
    return false
  }

  private func catchUp() {
    guard owes, fullness < Self.few else { return }
    owes = false
    seat.catchUp()
    for scene in scenes { scene.catchUp() }
  }

  // MARK: Pixels

  /// Whether so much more is copied in this turn.
  func hasTime(for bytes: Int) -> Bool {
    guard turnBytes + bytes <= limits.turnBytes || turnBytes == 0 else { return false }
    turnBytes += bytes
    return true
  }

  func wait(_ surface: Surface) {
    if !waiting.contains(where: { $0 === surface }) { waiting.append(surface) }
    wake()
  }

  private func copyWaiting() {
    while let surface = waiting.first, hasTime(for: surface.heldBytes) {
      waiting.removeFirst()
      surface.copyHeld()
      changed(surface, isResized: false)
    }
    if !waiting.isEmpty { wake() }
  }

  func failed(_ message: String) { failure = failure ?? message }

  func nextSerial() -> UInt32 { unsafe wl_display_next_serial(display) }

  func nextTurn() -> Int {
    turn += 1
    return turn
  }

  // MARK: Surfaces

  func makeSurface(for global: OpaquePointer?, id: UInt32) {
    guard surfaceCount < limits.surfaces else {
      return fail("more than \(limits.surfaces) surfaces")
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
      let (start, geometry) = (scene.place(of: window), window.shell.geometry)
      let area = surface.takeDrawn(isWhole: isResized || surface.stack.count > 1)
      scene.changed(area.moved(start.x - geometry.x, start.y - geometry.y))
    }
  }

  func gone(_ surface: Surface) {
    surfaceCount -= 1
    waiting.removeAll { $0 === surface }
    seat.forget(surface)
  }
}
