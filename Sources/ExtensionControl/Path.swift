internal import LinuxSystem

/// Paths as people write them.
enum Path {
  /// An identifier as it is; a path made absolute. It is a path if it has a slash, or if a bundle of that name lies here.
  static func subject(_ text: String) throws(ControlError) -> String {
    let looksLikeBundle = BundleCopy.suffixes.contains { text.hasSuffix($0) } && File.exists(text)
    return text.contains("/") || looksLikeBundle ? try absolute(text) : text
  }

  /// From the root, without `.`, `..`, and double slashes. Links stay as they are: the broker names roots as they are set.
  static func absolute(_ path: String) throws(ControlError) -> String {
    var whole = path
    if !path.hasPrefix("/") {
      do { whole = try File.readLink("/proc/self/cwd") + "/" + path } catch {
        throw ControlError(.failed, "cannot tell what \(path) is relative to: \(error); write it from /")
      }
    }
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let directory = String(path[..<slash])
    return (directory.isEmpty ? "/" : directory, String(path[path.index(after: slash)...]))
  }

  /// The last part of a path, without what stands after its last dot.
  static func stem(_ path: String) -> String {
    let name = split(path).name
    return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// $XDG_DATA_HOME, or what stands for it.
  static func dataHome() throws(ControlError) -> String { try base("XDG_DATA_HOME", "/.local/share") }
  static func stateHome() throws(ControlError) -> String { try base("XDG_STATE_HOME", "/.local/state") }

  private static func base(_ variable: String, _ standard: String) throws(ControlError) -> String {
    // A relative one is to be ignored: XDG Base Directory Specification.
    if let value = CurrentProcess.environment(variable), value.hasPrefix("/") { return value }
    guard let home = CurrentProcess.environment("HOME") else {
      throw ControlError(.failed, "HOME is not set; set it to your home directory")
    }
    return home + standard
  }
}
