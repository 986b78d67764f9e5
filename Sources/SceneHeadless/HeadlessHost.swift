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
  /// How often something was drawn.
  public private(set) var changes = 0
  /// How often a first picture appeared.
  public private(set) var appearances = 0

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
    compositor.onEnd = { [weak self] in self?.end = .some($0) }
    compositor.flush()
  }

  deinit { watch?.cancel() }

  /// Makes a scene, and counts what happens to it.
  public func makeScene(token: String?, size: (width: Int, height: Int)?) -> Scene {
    let scene = compositor.makeScene(token: token, size: size)
    scene.onEvent = { [weak self] event in
      guard let self else { return }
      switch event {
      case .shown: appearances += 1
      default: changes += 1
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
