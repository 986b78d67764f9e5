/// A group of processes: a directory of cgroup(7), version 2.
package final class ControlGroup: Sendable {
  package let path: String
  package let directory: SharedDescriptor

  package init(path: String) throws(Errno) {
    self.path = path
    directory = SharedDescriptor(try File.open(path, [.readOnly, .directory, .noFollow]))
  }

  /// Where version 2 is mounted: alone, or beside version 1. nil where it is not.
  package static var root: String? {
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first { File.exists("\($0)/cgroup.subtree_control") }
  }

  /// The group that a process is in, as a path below `root`; "/" for the root itself.
  package static func path(ofProcess processID: Int32) -> String? {
    guard let bytes = try? File.read("/proc/\(processID)/cgroup", limit: 1 << 16) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
  }

  package func makeChild(_ name: String) throws(Errno) -> ControlGroup {
    try File.makeDirectory(name, in: directory.rawValue)
    return try ControlGroup(path: "\(path)/\(name)")
  }

  /// Throws `busy` while a process is in it.
  package func removeChild(_ name: String) throws(Errno) {
    try File.removeDirectory(name, in: directory.rawValue)
  }

  /// The text of one of the group's files, without the newline at its end. nil where there is no such file.
  package func read(_ file: String) -> String? {
    guard let bytes = try? File.read(file, limit: 1 << 20, in: directory.rawValue) else { return nil }
    return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }

  /// The least value that a limit such as memory.max has in this group and those above it; nil where there is none.
  package func limit(_ file: String) -> Int? {
    var values = [read(file).flatMap { Int($0) }]
    var path = path[...]
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      path = path[..<slash]
      // Above the root of the groups there is no such file.
      guard let bytes = try? File.read("\(path)/\(file)", limit: 64) else { break }
      values.append(Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)))
    }
    return values.compactMap { $0 }.min()
  }

  package func write(_ text: String, to file: String) throws(Errno) {
    try File.write(text, to: file, in: directory.rawValue)
  }

  /// Kills every process in it and below.
  package func kill() throws(Errno) { try write("1", to: "cgroup.kill") }

  /// Whether a process is in it or below.
  package var isPopulated: Bool {
    read("cgroup.events")?.split(separator: "\n").contains("populated 1") ?? false
  }
}
