import CLinux
import LinuxSystem

@testable import ExtensionControl

/// A directory of this test's own, removed at the end.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = "/tmp/extctl-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    try File.makeDirectory(path)
  }

  deinit { try? BundleCopy.remove(path) }

  func write(_ text: String, to relative: String, mode: UInt32 = 0o644) throws {
    let file = path + "/" + relative
    try File.makeDirectories(Path.split(file).directory)
    try File.open(file, [.writeOnly, .create]).write(all: Array(text.utf8))
    if unsafe chmod(file, mode) != 0 { throw Errno(rawValue: clinux_errno()) }
  }

  /// A file that lives as long as what is returned.
  func keep(_ name: String, _ text: String) throws -> (path: String, owner: TemporaryDirectory) {
    try write(text, to: name)
    return (path + "/" + name, self)
  }

  func names(_ relative: String) throws -> [String] {
    let directory = try File.open(path + "/" + relative, .directory)
    return try DirectoryReader.entries(of: directory.rawValue).map(\.name).sorted()
  }
}
