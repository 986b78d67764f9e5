internal import CLinux

/// This process: its variables, its number, its end.
public enum CurrentProcess {
  public static var processID: Int32 { getpid() }
  public static var userID: UInt32 { getuid() }

  /// The value of a variable; nil where it is not set, or empty.
  public static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Removes a variable, so that children do not see it. Before the first thread only.
  public static func removeEnvironment(_ name: String) { unsafe unsetenv(name) }

  /// Writes a line to standard error. Errors are ignored: there is nowhere to report them.
  public static func printError(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return unsafe write(2, base, buffer.count)
    }
  }

  /// Ends the process at once, without running destructors that other threads may still need.
  public static func exit(_ status: CInt) -> Never { _exit(status) }

  /// Raises the soft limit of open files to the hard one. Returns the limit that holds.
  @discardableResult
  public static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(7), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}

extension CurrentProcess {
  /// All variables, as NAME=value.
  public static var allEnvironment: [String] {
    var result: [String] = []
    var next = unsafe clinux_environment()
    while let entry = unsafe next.pointee {
      result.append(unsafe String(cString: entry))
      unsafe next = next.advanced(by: 1)
    }
    return result
  }
}

extension FileDescriptor {
  /// A descriptor of its own for standard error.
  public static func standardError() throws(Errno) -> FileDescriptor {
    try checkDescriptor { clinux_fcntl(2, F_DUPFD_CLOEXEC, 3) }
  }
}

/// Both ends of a pipe(7).
public struct Pipe: Sendable {
  public let reading: SharedDescriptor
  public let writing: SharedDescriptor

  public static func make() throws(Errno) -> Pipe {
    var ends: [CInt] = [-1, -1]
    try check { unsafe clinux_pipe(&ends) }
    return Pipe(
      reading: SharedDescriptor(FileDescriptor(owning: ends[0])),
      writing: SharedDescriptor(FileDescriptor(owning: ends[1])))
  }
}

extension CurrentProcess {
  /// How many descriptors this process has open.
  public static var openDescriptors: Int {
    guard let directory = try? File.open("/proc/self/fd", .directory) else { return 0 }
    // Less the one that is open for this look.
    return ((try? DirectoryReader.entries(of: directory.rawValue))?.count ?? 1) - 1
  }
}

extension CurrentProcess {
  /// Blocks this thread for a while. For threads that have nothing to wait for but time.
  public static func pause(milliseconds: Int) { usleep(UInt32(clamping: milliseconds * 1000)) }
}

extension FileDescriptor {
  /// A descriptor that this program was started with, made close-on-exec. nil where it is not open.
  public static func inherited(_ number: CInt) -> FileDescriptor? {
    clinux_fcntl(number, F_SETFD, FD_CLOEXEC) == 0 ? FileDescriptor(owning: number) : nil
  }
}

/// An eventfd(2) of somebody else's.
public enum EventCounter {
  /// Reads the count away, so that the descriptor is not readable any more.
  public static func clear(_ descriptor: CInt) {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)
  }
}
