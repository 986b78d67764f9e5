internal import CLinux

extension Signals {
  /// A descriptor that is readable once one of the signals has come. From now on they do nothing else.
  package static func descriptor(for signals: [CInt]) throws(Errno) -> SharedDescriptor {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    return SharedDescriptor(try checkDescriptor { unsafe clinux_signalfd(signals, CInt(signals.count)) })
  }

  /// The signals that have come to such a descriptor, without waiting.
  package static func take(from descriptor: SharedDescriptor) -> [CInt] {
    var signals: [CInt] = []
    var information = signalfd_siginfo()
    while unsafe read(descriptor.rawValue, &information, MemoryLayout<signalfd_siginfo>.size) > 0 {
      signals.append(CInt(information.ssi_signo))
    }
    return signals
  }
}
