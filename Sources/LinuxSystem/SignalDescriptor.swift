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
}
