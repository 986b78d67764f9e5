internal import CLinux

extension File {
  /// Who else can change a file while we look at it.
  package enum Writers: Sendable {
    /// Nobody has it open for writing, or mapped shared and writable.
    case none
    /// Somebody has. Its content may change without a trace in its times.
    case some
    /// The kernel does not tell: it is not our file, or its file system has no leases.
    case notTold
  }

  /// Asks for a read lease and gives it back at once: fcntl(2). The file must be open for reading only.
  package static func writers(of file: CInt) -> Writers {
    switch clinux_probe_lease(file) {
    case 0: .none
    case 1: .some
    default: .notTold
    }
  }
}
