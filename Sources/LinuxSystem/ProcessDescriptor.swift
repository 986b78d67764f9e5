internal import CLinux

/// A process that cannot be confused with another one that gets the same number: pidfd_open(2).
/// The descriptor is readable when the process has ended.
package struct ProcessDescriptor: ~Copyable, Sendable {
  package let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  package init(processID: Int32) throws(Errno) {
    descriptor = try checkDescriptor { clinux_pidfd_open(processID) }
  }

  /// How a process ended.
  package enum End: Hashable, Sendable {
    case exited(status: CInt)
    case signaled(CInt, core: Bool)
  }

  /// Sends a signal. A process that has ended already: throws `noSuchProcess`.
  package borrowing func send(signal: CInt) throws(Errno) {
    let raw = descriptor.rawValue
    try check { clinux_pidfd_send_signal(raw, signal) }
  }

  /// Takes the end of a child. nil while it lives. Throws ECHILD for a process that is no child of this one.
  package borrowing func reap() throws(Errno) -> End? {
    let raw = descriptor.rawValue
    var code: CInt = 0
    var status: CInt = 0
    guard try check({ unsafe clinux_reap(raw, &code, &status) }) == 1 else { return nil }
    return code == clinux_CLD_EXITED
      ? .exited(status: status) : .signaled(status, core: code == clinux_CLD_DUMPED)
  }
}
