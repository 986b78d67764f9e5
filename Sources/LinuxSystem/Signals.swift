internal import CLinux

/// Signals as events. For programs: a library must leave them to its program.
package enum Signals {
  package static let terminate = SIGTERM
  package static let interrupt = SIGINT
  package static let hangUp = SIGHUP
  package static let windowChanged = SIGWINCH
  /// What ends a program on a terminal, or tells it that the terminal has another size.
  package static let ofTerminal = [terminate, interrupt, hangUp, SIGQUIT, windowChanged]
  package static let childEnded = SIGCHLD
  package static let kill = SIGKILL
  /// SIGRTMAX: for an agreement between two programs.
  package static let last = CInt(64)

  /// Call first in `main`, before any thread starts: signals arrive only through `watch`, and a closed socket is
  /// an error of the call, not a death.
  package static func prepareProcess() {
    clinux_block_signals()
    clinux_ignore_sigpipe()
    clinux_limit_arenas()
  }

  /// For a program that leaves all other signals as they are. Call it before any thread starts.
  package static func ignorePipe() { clinux_ignore_sigpipe() }

  /// Calls `handler` with each of the signals that arrives.
  package static func watch(
    _ signals: [CInt], on loop: EventLoop, handler: @escaping (CInt) -> Void
  ) throws(Errno) -> EventLoop.Watch {
    try watch(signals, on: loop) { signal, _ in handler(signal) }
  }

  /// The same, with who sent it: what comes from the kernel, as Ctrl-C does, went to all processes in the foreground.
  package static func watch(
    _ signals: [CInt], on loop: EventLoop, handler: @escaping (CInt, _ isFromKernel: Bool) -> Void
  ) throws(Errno) -> EventLoop.Watch {
    let descriptor = try descriptor(for: signals)
    return try loop.watch(descriptor.rawValue, for: .readable) { _ in
      var information = signalfd_siginfo()
      while unsafe read(descriptor.rawValue, &information, MemoryLayout<signalfd_siginfo>.size) > 0 {
        // SI_KERNEL, and the other causes that no process can claim: sigaction(2).
        handler(CInt(information.ssi_signo), information.ssi_code > 0)
      }
    }
  }
}

extension FileDescriptor {
  /// Writes what there is room for, and answers how much that was. For pipes that do not block.
  ///
  /// A reader that has gone is `brokenPipe`, and never SIGPIPE: whether that is ignored is the program's to say, and this
  /// may be called by a library.
  package borrowing func write(some bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
    var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe sigpending(&pending)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let raw = rawValue
    do {
      return try check {
        unsafe bytes.withUnsafeBytes { unsafe CLinux.write(raw, $0.baseAddress, $0.count) }
      }
    } catch {
      // One that waited before is somebody else's.
      if error == .brokenPipe, unsafe sigismember(&pending, SIGPIPE) == 0 {
        var none = timespec()
        unsafe sigtimedwait(&pipe, nil, &none)
      }
      throw error
    }
  }
}
