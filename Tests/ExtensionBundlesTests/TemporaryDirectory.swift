import CLinux
import LinuxSystem

/// A directory of this test's own, removed at the end.
final class TemporaryDirectory: Sendable {
  let path: String

  init(in parent: String = "/tmp") throws {
    var template = Array("\(parent)/bundles-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    guard let made else { throw Errno(rawValue: clinux_errno()) }
    path = made
  }

  deinit { Self.remove(path) }

  func path(_ relative: String) -> String { path + "/" + relative }

  func makeDirectory(_ relative: String) throws {
    try File.makeDirectories(path(relative), mode: 0o755)
  }

  func write(_ bytes: [UInt8], to relative: String, mode: UInt32 = 0o644) throws {
    if let slash = relative.lastIndex(of: "/") { try makeDirectory(String(relative[..<slash])) }
    try File.open(path(relative), [.writeOnly, .create, .truncate], mode: mode).write(all: bytes)
    try setMode(relative, mode)
  }

  func write(_ text: String, to relative: String, mode: UInt32 = 0o644) throws {
    try write(Array(text.utf8), to: relative, mode: mode)
  }

  func setMode(_ relative: String, _ mode: UInt32) throws { try call(unsafe chmod(path(relative), mode)) }
  func link(_ relative: String, to target: String) throws { try call(unsafe symlink(target, path(relative))) }
  func makeFifo(_ relative: String) throws { try call(unsafe mkfifo(path(relative), 0o644)) }
  func setOwner(_ relative: String, _ user: UInt32) throws {
    try call(unsafe chown(path(relative), user, user))
  }
  func extend(_ relative: String, to size: Int) throws { try call(unsafe truncate(path(relative), size)) }
  func remove(_ relative: String) { Self.remove(path(relative)) }
  func rename(_ from: String, _ to: String) throws { try File.rename(path(from), to: path(to)) }

  /// Makes a file whose name is the byte FF.
  func writeUnreadableName(in relative: String) throws {
    try call(unsafe mknod(path(relative).utf8CString.dropLast() + [0x2F, -1, 0], 0o100_644, 0))
  }

  /// Makes a link to the byte FF.
  func linkToUnreadableName(_ relative: String) throws {
    let target: [CChar] = [-1, 0]
    try call(unsafe symlink(target, path(relative)))
  }

  /// An open directory in here.
  func open(_ relative: String) throws -> SharedDescriptor {
    SharedDescriptor(try File.open(path(relative), .directory))
  }

  private func call(_ result: CInt) throws {
    if result != 0 { throw Errno(rawValue: clinux_errno()) }
  }

  private static func remove(_ path: String) { try? File.removeTree(path) }
}

/// Long enough for the clock of file times to have moved on.
func letTheClockMove() { usleep(40_000) }
