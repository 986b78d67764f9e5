internal import CLinux

extension CurrentProcess {
  /// The permissions that new files do not get: umask(2).
  package static func setFileModeMask(_ mask: UInt32) { _ = umask(mask) }

  /// How many files this process may have open: the soft limit.
  package static var descriptorLimit: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// The directory that this program lies in.
  package static var programDirectory: String? {
    guard let path = try? File.readLink("/proc/self/exe"), let slash = path.lastIndex(of: "/") else {
      return nil
    }
    return String(path[..<slash])
  }
}

extension Pipe {
  /// Makes room for at least so many bytes, as far as the user's limits allow it.
  package func reserve(_ bytes: Int) {
    _ = clinux_pipe_capacity(reading.rawValue, CInt(clamping: bytes))
  }
}
