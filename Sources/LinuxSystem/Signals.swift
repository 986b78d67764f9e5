internal import CLinux

/// Signals as events. For programs: a library must leave them to its program.
public enum Signals {
  public static let terminate = SIGTERM
  public static let interrupt = SIGINT
  public static let hangUp = SIGHUP
  public static let kill = SIGKILL
  /// SIGRTMAX: for an agreement between two programs.
  public static let last = CInt(64)

  /// Call first in `main`, before any thread starts: signals arrive only through `watch`, and a closed socket is
  /// an error of the call, not a death.
  public static func prepareProcess() {
    clinux_block_signals()
    clinux_ignore_sigpipe()
    clinux_limit_arenas()
  }

  /// Calls `handler` with each of the signals that arrives.
  public static func watch(
    _ signals: [CInt], on loop: EventLoop, handler: @escaping (CInt) -> Void
  ) throws(Errno) -> EventLoop.Watch {
    let descriptor = try descriptor(for: signals)
    return try loop.watch(descriptor.rawValue, for: .readable) { _ in
      var information = signalfd_siginfo()
      while unsafe read(descriptor.rawValue, &information, MemoryLayout<signalfd_siginfo>.size) > 0 {
        handler(CInt(information.ssi_signo))
      }
    }
  }
}
