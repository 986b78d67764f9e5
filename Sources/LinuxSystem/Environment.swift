internal import CLinux

/// This process: its variables, its number, its end.
package enum CurrentProcess {
  package static var processID: Int32 { getpid() }
  package static var userID: UInt32 { getuid() }

  /// The value of a variable; nil where it is not set, or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// What the person reads, best first, such as `de_AT`: LANGUAGE, then the locale of messages, as gettext(3) has it. Empty
  /// where the locale is C.
  package static var languages: [String] {
    let locale = environment("LC_ALL") ?? environment("LC_MESSAGES") ?? environment("LANG") ?? "C"
    let name = String(locale.prefix { $0 != "." && $0 != "@" })
    if name == "C" || name == "POSIX" { return [] }
    return (environment("LANGUAGE") ?? "").split(separator: ":").map(String.init) + [name]
  }

  /// Sets a variable, for this process and for its children. Before the first thread only.
  package static func setEnvironment(_ name: String, _ value: String) { unsafe setenv(name, value, 1) }

  /// Removes a variable, so that children do not see it. Before the first thread only.
  package static func removeEnvironment(_ name: String) { unsafe unsetenv(name) }

  /// Writes a line to standard error. Errors are ignored: there is nowhere to report them.
  package static func printError(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return unsafe write(2, base, buffer.count)
    }
  }

  /// Has `print` write each line when it is complete, also where standard output is a pipe: a log that is read while the
  /// program runs, and nothing lost when it ends by `exit(_:)`.
  package static func printLinesAtOnce() { clinux_print_lines_at_once() }

  /// Ends the process at once, without running destructors that other threads may still need.
  package static func exit(_ status: CInt) -> Never { _exit(status) }

  /// Raises the soft limit of open files to the hard one. Returns the limit that holds.
  @discardableResult
  package static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(7), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}

extension CurrentProcess {
  /// All variables, as NAME=value.
  package static var allEnvironment: [String] {
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
  package static func standardError() throws(Errno) -> FileDescriptor {
    try checkDescriptor { clinux_fcntl(2, F_DUPFD_CLOEXEC, 3) }
  }
}

/// Both ends of a pipe(7).
package struct Pipe: Sendable {
  package let reading: SharedDescriptor
  package let writing: SharedDescriptor

  package static func make() throws(Errno) -> Pipe {
    var ends: [CInt] = [-1, -1]
    try check { unsafe clinux_pipe(&ends) }
    return Pipe(
      reading: SharedDescriptor(FileDescriptor(owning: ends[0])),
      writing: SharedDescriptor(FileDescriptor(owning: ends[1])))
  }
}

extension CurrentProcess {
  /// How many descriptors this process has open.
  package static var openDescriptors: Int {
    guard let directory = try? File.open("/proc/self/fd", .directory) else { return 0 }
    // Less the one that is open for this look.
    return ((try? DirectoryReader.entries(of: directory.rawValue))?.count ?? 1) - 1
  }
}

extension CurrentProcess {
  /// Blocks this thread for a while. For threads that have nothing to wait for but time.
  package static func pause(milliseconds: Int) { usleep(UInt32(clamping: milliseconds * 1000)) }
}

extension FileDescriptor {
  /// A descriptor that this program was started with, made close-on-exec. nil where it is not open.
  package static func inherited(_ number: CInt) -> FileDescriptor? {
    clinux_fcntl(number, F_SETFD, FD_CLOEXEC) == 0 ? FileDescriptor(owning: number) : nil
  }
}

/// An eventfd(2): readable from `ring` to `clear`.
package enum EventCounter {
  /// A new one, which does not block.
  package static func make() throws(Errno) -> FileDescriptor {
    try checkDescriptor { eventfd(0, clinux_EFD_CLOEXEC | clinux_EFD_NONBLOCK) }
  }

  /// Makes it readable.
  package static func ring(_ descriptor: CInt) {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Reads the count away, so that the descriptor is not readable any more.
  package static func clear(_ descriptor: CInt) {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)
  }
}

extension FileDescriptor {
  /// A descriptor of its own for standard input.
  package static func ownStandardInput() throws(Errno) -> FileDescriptor {
    try checkDescriptor { clinux_fcntl(0, F_DUPFD_CLOEXEC, 3) }
  }

  /// A descriptor of its own for standard output.
  package static func standardOutput() throws(Errno) -> FileDescriptor {
    try checkDescriptor { clinux_fcntl(1, F_DUPFD_CLOEXEC, 3) }
  }
}

extension CurrentProcess {
  /// Whether a descriptor is a terminal.
  package static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }
}

extension FileDescriptor {
  /// Standard input's number, which this program does not own.
  package static var standardInput: CInt { 0 }

  package static func readStandardInput(upTo count: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try check { unsafe CLinux.read(0, &bytes, count) }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Returns when what was written is on the disk: fsync(2).
  package borrowing func synchronise() throws(Errno) {
    let raw = rawValue
    try check { fsync(raw) }
  }
}

extension File {
  /// Makes a symbolic link.
  package static func makeLink(_ target: String, at path: String) throws(Errno) {
    try check {
      unsafe target.withCString { target in unsafe path.withCString { unsafe symlink(target, $0) } }
    }
  }
}

extension Signals {
  /// For programs that keep the standard signals, but take a closed socket as an error.
  package static func ignoreBrokenPipe() { clinux_ignore_sigpipe() }
}

extension WallClock {
  /// A time in the person's zone, such as 2026-11-30 14:05:09.
  package static func text(_ milliseconds: Int) -> String {
    var time = time_t(milliseconds / 1000)
    var parts = unsafe tm()
    unsafe localtime_r(&time, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    _ = unsafe strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    return LinuxSystem.text(buffer)
  }
}
