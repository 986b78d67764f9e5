internal import LinuxSystem

/// Puts bundles in their place and takes them away so that a reader of the place sees all or nothing of them.
enum BundleCopy {
  static let suffixes = [".appex", ".app", ".appextensionpoint"]

  /// Copies `source` to `target`. Whatever fails, what was there stays.
  static func install(_ source: String, as target: String) throws(ControlError) {
    if source == target || target.hasPrefix(source + "/") || source.hasPrefix(target + "/") {
      throw ControlError(.failed, "\(source) lies where it would be installed; give another --root")
    }
    try put(target) { staging throws(ControlError) in try copy(source, to: staging) }
  }

  /// Has `make` make a bundle at the path that it is given, beside `target` and with its name, then puts it there in one
  /// step. Whatever fails, what was there stays. `stagedBeside`: another path of the same file system, to make it beside.
  static func put(
    _ target: String, stagedBeside other: String? = nil, make: (String) throws(ControlError) -> Void
  ) throws(ControlError) {
    let (directory, name) = Path.split(target)
    let place = Path.split(other ?? target)
    let hidden = hidden(place.directory, place.name)
    let staging = hidden + "/" + name
    do throws(ControlError) {
      try perform("make the directory", directory) { () throws(Errno) in
        try File.makeDirectories(directory, mode: 0o755)
        try File.makeDirectory(hidden, mode: 0o700)
      }
      try make(staging)
      try perform("install", target) { () throws(Errno) in
        do throws(Errno) {
          try File.rename(staging, to: target, .noReplace)
        } catch .exists {
          // The old one changes places with the new one.
          try File.rename(staging, to: target, .exchange)
        }
        try File.open(directory, .directory).synchronise()
      }
    } catch {
      try? delete(hidden)
      throw error
    }
    // What is hidden now is the old one, if any. Its end is no part of the installation.
    do throws(ControlError) { try delete(hidden) } catch { Terminal.say("extctl: \(error)") }
  }

  /// Takes a bundle away in one step, then deletes it.
  static func remove(_ path: String) throws(ControlError) {
    let (directory, name) = Path.split(path)
    let hidden = hidden(directory, name)
    try perform("remove", path) { () throws(Errno) in try File.rename(path, to: hidden, .noReplace) }
    try delete(hidden)
  }

  /// A name that no scan looks at, of nobody else's.
  private static func hidden(_ directory: String, _ name: String) -> String {
    "\(directory)/.\(name).tmp-\(String(UInt32.random(in: .min ... .max), radix: 36))"
  }

  /// Copies a file or a directory with all that is in it.
  static func copy(_ source: String, to target: String) throws(ControlError) {
    try perform("copy", source) { () throws(Errno) in
      // A link at the top is what the person meant; those inside are copied as links.
      try copyItem(source, to: target, status: FileStatus(at: source, followLinks: true))
    }
  }

  /// Writes a new file, and the directories above it that do not exist.
  static func write(_ text: String, to path: String, mode: UInt32 = 0o644) throws(ControlError) {
    try perform("write", path) { () throws(Errno) in
      try File.makeDirectories(Path.split(path).directory, mode: 0o755)
      let output = try File.open(path, [.writeOnly, .create, .exclusive], mode: mode)
      try output.write(all: Array(text.utf8))
      try output.synchronise()
    }
  }

  private static func copyItem(_ source: String, to target: String, status: FileStatus) throws(Errno) {
    switch status.kind {
    case .directory:
      try File.makeDirectory(target, mode: status.mode & 0o755 | 0o700)
      let directory = try File.open(source, .directory)
      for entry in try DirectoryReader.entries(of: directory.rawValue) {
        // A name that is not UTF-8 has no path here; the broker would call the bundle invalid.
        guard entry.isText else { throw .noText }
        let path = source + "/" + entry.name
        try copyItem(path, to: target + "/" + entry.name, status: FileStatus(at: path))
      }
      try File.open(target, .directory).synchronise()
    case .symbolicLink: try File.makeLink(File.readTextLink(source), at: target)
    case .regular:
      let input = try File.open(source, [.readOnly, .nonBlocking])
      // Without set-user-id and without write permission for others.
      let output = try File.open(target, [.writeOnly, .create, .exclusive], mode: status.mode & 0o755)
      while true {
        let bytes = try input.read(upTo: 1 << 18)
        if bytes.isEmpty { break }
        try output.write(all: bytes)
      }
      try output.synchronise()
    // Sockets, pipes, devices.
    default: throw .notSupported
    }
  }

  private static func delete(_ path: String) throws(ControlError) {
    try perform("delete", path) { () throws(Errno) in try File.removeTree(path) }
  }

  private static func perform(
    _ verb: String, _ path: String, _ body: () throws(Errno) -> Void
  ) throws(ControlError) {
    do throws(Errno) { try body() } catch {
      let why =
        switch error {
        case .notSupported: "there is something that is neither a file, a directory nor a link"
        case .noText: "there is a name that is not UTF-8"
        case .invalidArgument: "the file system cannot rename in one step"
        default: error.description
        }
      throw ControlError(.failed, "cannot \(verb) \(path): \(why)")
    }
  }
}
