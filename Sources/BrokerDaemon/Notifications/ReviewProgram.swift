internal import LinuxSystem

/// How the person is shown extensions to decide about: in a window where the session has a screen, else in a terminal of the
/// person's choice.
struct ReviewProgram: Sendable {
  /// Program and arguments, before an identifier.
  private let command: [String]

  /// nil: there is nothing to show them with. Looks into file systems, which may take its time.
  static func find() -> ReviewProgram? {
    let own = (try? File.readLink("/proc/self/exe")) ?? ""
    // Beside this program where both were built; else as they are installed, also with a prefix of their own.
    let (beside, prefix) = (parent(of: own), parent(of: parent(of: own)))
    func near(_ name: String) -> String? {
      let places = ["\(beside)/\(name)", "\(prefix)/bin/\(name)", "\(parent(of: prefix))/bin/\(name)"]
      return places.first(where: isProgram) ?? search(name)
    }
    let hasScreen = ["WAYLAND_DISPLAY", "DISPLAY"].contains { CurrentProcess.environment($0) != nil }
    if hasScreen, let browser = near("extensiond-browser") { return ReviewProgram(command: [browser]) }
    guard let extctl = near("extctl") else { return nil }
    // It takes the command as it is; all others, as Debian has it, after -e.
    if let program = search("xdg-terminal-exec") {
      return ReviewProgram(command: [program, extctl, "browse"])
    }
    let wanted = CurrentProcess.environment("TERMINAL")
    guard let program = wanted.flatMap(search) ?? search("x-terminal-emulator") else { return nil }
    return ReviewProgram(command: [program, "-e", extctl, "browse"])
  }

  /// The command that begins with an extension. Its identifier may begin as an option does.
  func showing(_ identifier: String?) -> [String] { command + (identifier.map { ["--", $0] } ?? []) }

  private static func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  private static func search(_ name: String) -> String? {
    if name.hasPrefix("/") { return isProgram(name) ? name : nil }
    guard !name.contains("/") else { return nil }
    let path = CurrentProcess.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { "\($0)/\(name)" }.first {
      $0.hasPrefix("/") && isProgram($0)
    }
  }

  private static func isProgram(_ path: String) -> Bool {
    (try? FileStatus(at: path, followLinks: true))?.kind == .regular
  }
}
