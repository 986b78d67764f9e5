public import LinuxSystem
public import SceneCompositor

/// A host without a screen: it runs a compositor on an event loop of its own, and lets the extension draw sixty times a
/// second. What it does next is said by its caller, who waits for what the extension does.
public final class HeadlessHost {
  /// Its scenes are made and used by the caller.
  public let compositor: SceneCompositor
  private let loop: EventLoop
  private var watch: EventLoop.Watch?
  private var frameTimer: EventLoop.Timer?
  /// The extension's connection has ended; the reason where it was its fault.
  public private(set) var end: String??
  /// How often that was said.
  public private(set) var ends = 0
  private var texts: [KeyPath<SceneCompositor, Selection>: String] = [:]
  /// Of which selections the text was asked for.
  private var asks: Set<KeyPath<SceneCompositor, Selection>> = []
  /// How often the extension wished to be brought to the front.
  public private(set) var wishes = 0
  /// The ways in which the focus has left scenes, oldest first.
  public private(set) var departures: [Scene.Direction] = []
  /// The tokens of scenes that the extension has ended.
  public private(set) var endedTokens: Set<String> = []

  /// - Parameter socket: the host's end of the extension's Wayland connection.
  public init(
    _ socket: consuming FileDescriptor, naming: SceneCompositor.Naming, scale: Double = 1
  ) throws(Errno) {
    compositor = try SceneCompositor(naming: naming, scale: scale)
    loop = try EventLoop()
    try compositor.attach(socket)
    watch = try loop.watch(compositor.descriptor, for: .readable) { [unowned self] _ in
      compositor.dispatch()
    }
    compositor.onEnd = { [weak self] in
      self?.end = .some($0)
      self?.ends += 1
    }
    compositor.flush()
  }

  /// What was copied in the extension (`\.clipboard`), or marked (`\.primarySelection`), as far as it is known: each look asks
  /// anew, as somebody does who pastes. GTK 4 has no text yet when it says that something is marked.
  public func text(of selection: KeyPath<SceneCompositor, Selection>) -> String? {
    if !asks.contains(selection) {
      asks.insert(selection)
      compositor[keyPath: selection].requestText { [weak self] answer in
        self?.texts[selection] = try? answer.get()
        self?.asks.remove(selection)
      }
    }
    return texts[selection]
  }

  deinit { watch?.cancel() }

  /// Makes a scene, which is drawn from then on.
  public func makeScene(token: String?, size: (width: Int, height: Int)?) -> Scene {
    let scene = compositor.makeScene(token: token, size: size)
    scene.onEvent = { [weak self] event in
      guard let self else { return }
      switch event {
      case .wantsAttention: wishes += 1
      case .focusLeaves(let direction): departures.append(direction)
      case .ended: endedTokens.insert(token ?? "")
      default: break
      }
      scheduleFrame()
    }
    scheduleFrame()
    return scene
  }

  /// Clients commit and wait for a frame also where nothing was drawn.
  private func scheduleFrame() {
    guard frameTimer == nil else { return }
    frameTimer = loop.schedule(after: .milliseconds(16)) { [weak self] in
      guard let self else { return }
      frameTimer = nil
      for scene in compositor.scenes { scene.frameShown(milliseconds: Self.now) }
      if end == nil { scheduleFrame() }
    }
  }

  /// Runs until a condition holds. False: it did not by the deadline.
  /// - Parameter condition: looked at after each event, and at least every 20 ms.
  public func run(until deadline: MonotonicTime, _ condition: () -> Bool) throws(Errno) -> Bool {
    while !condition() {
      guard MonotonicTime.now < deadline else { return false }
      try loop.turn(limit: .milliseconds(20))
    }
    return true
  }

  /// For input: milliseconds of the monotonic clock.
  public static var now: UInt32 { UInt32(truncatingIfNeeded: MonotonicTime.now.nanoseconds / 1_000_000) }
}
