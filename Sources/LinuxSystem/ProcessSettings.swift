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

  /// Whether RLIMIT_NPROC holds for a sandbox by itself: since Linux 5.14 the kernel counts for each user name space. It
  /// holds nobody who is root outside.
  package static var limitsProcessesOfSandboxes: Bool {
    guard userID != 0, let bytes = try? File.read("/proc/sys/kernel/osrelease", limit: 256) else {
      return false
    }
    let numbers = String(decoding: bytes, as: UTF8.self).split { !$0.isNumber }.prefix(2).compactMap {
      Int($0)
    }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 14)
  }

  /// Gives the kernel back what was freed: after much was read at once that is half of the memory, and stays otherwise.
  package static func returnFreeMemory() { clinux_return_free_memory() }

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
