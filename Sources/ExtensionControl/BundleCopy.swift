internal import LinuxSystem

/// Copies and removes bundles so that a reader of their place sees all or nothing of them.
enum BundleCopy {
  /// Copies `source` beside `target`, then puts it there in one step.
  static func install(_ source: String, as target: String) throws(Errno) {
    let (directory, name) = split(target)
    let staging = "\(directory)/.\(name).tmp-\(CurrentProcess.processID)"
    do throws(Errno) {
      try copy(source, to: staging)
      do throws(Errno) {
        try File.rename(staging, to: target, .noReplace)
      } catch .exists {
        // The old one changes places with the new one, and goes away from the hidden name.
        try File.rename(staging, to: target, .exchange)
        try remove(staging)
      }
    } catch {
      try? remove(staging)
      throw error
    }
  }

  /// Takes a bundle away in one step, then deletes it.
  static func remove(_ path: String) throws(Errno) {
    let (directory, name) = split(path)
    var hidden = path
    if !name.hasPrefix(".") {
      hidden = "\(directory)/.\(name).tmp-\(CurrentProcess.processID)"
      try File.rename(path, to: hidden, .noReplace)
    }
    try delete(hidden)
  }

  private static func split(_ path: String) -> (String, String) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private static func copy(_ source: String, to target: String) throws(Errno) {
    let status = try FileStatus(at: source)
    switch status.kind {
    case .directory:
      try File.makeDirectory(target, mode: status.mode & 0o755 | 0o700)
      let directory = try File.open(source, .directory)
      for entry in try DirectoryReader.entries(of: directory.rawValue) {
        try copy(source + "/" + entry.name, to: target + "/" + entry.name)
      }
    case .symbolicLink: try File.makeLink(File.readLink(source), at: target)
    case .regular:
      let input = try File.open(source, [.readOnly, .noFollow])
      let output = try File.open(target, [.writeOnly, .create, .exclusive], mode: status.mode & 0o755)
      while true {
        let bytes = try input.read(upTo: 1 << 18)
        if bytes.isEmpty { break }
        try output.write(all: bytes)
      }
      try output.synchronise()
    default: throw .notSupported
    }
  }

  private static func delete(_ path: String) throws(Errno) {
    guard try FileStatus(at: path).kind == .directory else { return try File.remove(path) }
    let directory = try File.open(path, [.directory, .noFollow])
    for entry in try DirectoryReader.entries(of: directory.rawValue) { try delete(path + "/" + entry.name) }
    try File.removeDirectory(path)
  }
}
