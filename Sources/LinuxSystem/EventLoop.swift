internal import CLinux

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
  /// The bits, as epoll_ctl(2) has them.
  public let rawValue: UInt32
  /// What these bits say.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// There is something to read, a connection to accept, or the end.
  public static let readable = Readiness(rawValue: UInt32(clinux_EPOLLIN))
  /// There is room to write.
  public static let writable = Readiness(rawValue: UInt32(clinux_EPOLLOUT))
  /// The peer has closed its sending side.
  public static let peerClosed = Readiness(rawValue: UInt32(clinux_EPOLLRDHUP))
  /// Both sides are closed, or there is an error. Always reported.
  public static let hangUp = Readiness(
    rawValue: UInt32(clinux_EPOLLHUP) | UInt32(clinux_EPOLLERR))
}

/// Waits for descriptors and times on one thread, and calls back on it. Not Sendable: it belongs to its thread.
///
/// Handlers run one after the other. A handler may add and cancel watches and timers, its own too.
public final class EventLoop {
  /// A descriptor under watch. Cancel it before the descriptor is closed.
  public final class Watch {
    fileprivate let descriptor: CInt
    /// Its place in the loop's watches, and how many were there before it.
    fileprivate let token: UInt64
    fileprivate var handler: ((Readiness) -> Void)?
    fileprivate weak var loop: EventLoop?
    /// What the handler is called for.
    public private(set) var interest: Readiness

    fileprivate init(
      descriptor: CInt, token: UInt64, interest: Readiness, loop: EventLoop,
      handler: @escaping (Readiness) -> Void
    ) {
      self.descriptor = descriptor
      self.token = token
      self.interest = interest
      self.loop = loop
      self.handler = handler
    }

    /// Changes what the handler is called for.
    public func setInterest(_ interest: Readiness) {
      guard interest != self.interest, handler != nil, let loop else { return }
      self.interest = interest
      loop.control(EPOLL_CTL_MOD, descriptor, interest, token)
    }

    /// Ends the watch: the handler is not called again. Once is enough; more do nothing.
    public func cancel() {
      guard let handler else { return }
      self.handler = nil
      guard let loop else { return }
      loop.forget(token)
      loop.control(EPOLL_CTL_DEL, descriptor, [], token)
      // Nobody but it may own the descriptor, which is closed with it.
      withExtendedLifetime(handler) {}
    }
  }

  /// A time at which a handler runs once.
  public final class Timer {
    fileprivate let time: MonotonicTime
    fileprivate var handler: (() -> Void)?
    private weak var loop: EventLoop?

    fileprivate init(time: MonotonicTime, loop: EventLoop, handler: @escaping () -> Void) {
      self.time = time
      self.loop = loop
      self.handler = handler
    }

    /// The handler will not run. Does nothing where it has.
    public func cancel() {
      guard handler != nil else { return }
      handler = nil
      loop?.forgetCancelledTimers()
    }
  }

  private let epoll: FileDescriptor
  /// By the lower half of their tokens. The upper half counts those that were in a place, so that an event that came
  /// for the one before is not the next one's.
  private var watches: [(watch: Watch?, uses: UInt32)] = []
  private var freePlaces: [Int] = []
  /// By time, latest first: the next one is the last element.
  private(set) var timers: [Timer] = []
  /// Of those, about how many were cancelled.
  private var cancelledTimers = 0
  private var stopped = false
  private var tokens = [UInt64](repeating: 0, count: 64)
  private var events = [UInt32](repeating: 0, count: 64)
  /// What handlers read into. What it holds is of use only until the handler returns, so that one is enough for all.
  package var buffer = [UInt8](repeating: 0, count: 16384)

  /// A loop with nothing to wait for. Throws where the process has no descriptors left.
  public init() throws(Errno) {
    epoll = try checkDescriptor { epoll_create1(clinux_EPOLL_CLOEXEC) }
  }

  /// Calls `handler` whenever the descriptor is ready, until the watch is cancelled.
  /// Files and directories cannot be watched: throws EPERM.
  public func watch(
    _ descriptor: CInt, for interest: Readiness, handler: @escaping (Readiness) -> Void
  ) throws(Errno) -> Watch {
    let place = freePlaces.last ?? watches.count
    let uses = place < watches.count ? watches[place].uses : 0
    let token = UInt64(uses) << 32 | UInt64(place)
    let epoll = epoll.rawValue
    try check { clinux_epoll_control(epoll, EPOLL_CTL_ADD, descriptor, interest.rawValue, token) }
    let watch = Watch(descriptor: descriptor, token: token, interest: interest, loop: self, handler: handler)
    if place < watches.count {
      freePlaces.removeLast()
      watches[place].watch = watch
    } else {
      watches.append((watch, uses))
    }
    return watch
  }

  /// Runs `handler` once, at `time` or soon after.
  @discardableResult
  public func schedule(at time: MonotonicTime, handler: @escaping () -> Void) -> Timer {
    let timer = Timer(time: time, loop: self, handler: handler)
    var low = 0
    var high = timers.count
    while low < high {
      let middle = (low + high) / 2
      if timers[middle].time <= time { high = middle } else { low = middle + 1 }
    }
    timers.insert(timer, at: low)
    return timer
  }

  /// Runs `handler` once, when the interval has passed or soon after.
  @discardableResult
  public func schedule(after interval: Duration, handler: @escaping () -> Void) -> Timer {
    schedule(at: .now + interval, handler: handler)
  }

  /// Most are cancelled long before their time. They go when they are the most, so that each costs little.
  private func forgetCancelledTimers() {
    cancelledTimers += 1
    guard cancelledTimers > 32, cancelledTimers > timers.count / 2 else { return }
    timers.removeAll { $0.handler == nil }
    cancelledTimers = 0
  }

  /// Runs until `stop()`.
  public func run() throws(Errno) {
    stopped = false
    while !stopped { try turn() }
  }

  /// For a loop in another loop: readable when `turn(limit: .zero)` has something to do. Timers do not make it so;
  /// `isDue` tells of those that need no wait.
  public var descriptor: CInt { epoll.rawValue }

  /// A timer's time has come.
  public var isDue: Bool { timers.last.map { $0.time <= .now } ?? false }

  /// Makes `run()` return after the present handler.
  public func stop() { stopped = true }

  /// Waits once, and runs what is due. `limit`: how long to wait at most; nil for ever.
  public func turn(limit: Duration? = nil) throws(Errno) {
    let epoll = epoll.rawValue
    let timeout = timeout(limit: limit)
    let count = unsafe clinux_epoll_wait(epoll, &tokens, &events, CInt(tokens.count), timeout)
    if count < 0 {
      let error = Errno.last
      if error != .interrupted { throw error }
    }
    // What a handler schedules for now waits for the next turn: others come before it.
    let now = timers.isEmpty ? nil : MonotonicTime.now
    for index in 0..<max(0, Int(count)) {
      // Looked up for each event: the handler before may have cancelled it.
      watch(tokens[index])?.handler?(Readiness(rawValue: events[index]))
    }
    if let now { runTimers(until: now) }
  }

  private func watch(_ token: UInt64) -> Watch? {
    let place = Int(truncatingIfNeeded: token & 0xffff_ffff)
    guard watches[place].uses == token >> 32 else { return nil }
    return watches[place].watch
  }

  fileprivate func forget(_ token: UInt64) {
    let place = Int(truncatingIfNeeded: token & 0xffff_ffff)
    watches[place] = (nil, watches[place].uses &+ 1)
    freePlaces.append(place)
  }

  private func timeout(limit: Duration?) -> CInt {
    while let last = timers.last, last.handler == nil { timers.removeLast() }
    var wait: Int64 = -1
    if let next = timers.last {
      wait = max(0, (next.time.nanoseconds - MonotonicTime.now.nanoseconds + 999_999) / 1_000_000)
    }
    if let limit {
      let parts = limit.components
      let most = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
      wait = wait < 0 ? most : min(wait, most)
    }
    return CInt(clamping: wait)
  }

  private func runTimers(until now: MonotonicTime) {
    while let next = timers.last, next.time <= now {
      timers.removeLast()
      let handler = next.handler
      next.handler = nil
      handler?()
    }
  }

  private func control(_ operation: CInt, _ descriptor: CInt, _ interest: Readiness, _ token: UInt64) {
    // Fails only for a descriptor that is closed already, which is the caller's fault.
    let result = clinux_epoll_control(epoll.rawValue, operation, descriptor, interest.rawValue, token)
    precondition(
      result == 0, "the watched descriptor \(descriptor) was closed before its watch was cancelled")
  }
}
