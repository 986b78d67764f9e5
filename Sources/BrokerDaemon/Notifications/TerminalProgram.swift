internal import LinuxSystem

/// How a command is shown in a terminal of the person's choice.
struct TerminalProgram: Sendable {
  private let program: String
  /// What comes before the command.
  private let options: [String]
  private let extctl: String

  /// nil: there is none, or no extctl. Looks into file systems, which may take its time.
  static func find() -> TerminalProgram? {
    let own = (try? File.readLink("/proc/self/exe")) ?? ""
    // Beside this program where both were built; else as they are installed, also with a prefix of their own.
    let (beside, prefix) = (parent(of: own), parent(of: parent(of: own)))
    let near = ["\(beside)/extctl", "\(prefix)/bin/extctl", "\(parent(of: prefix))/bin/extctl"]
    guard let extctl = near.first(where: isProgram) ?? search("extctl") else { return nil }
    // It takes the command as it is; all others, as Debian has it, after -e.
    if let program = search("xdg-terminal-exec") {
      return TerminalProgram(program: program, options: [], extctl: extctl)
    }
    let wanted = CurrentProcess.environment("TERMINAL")
    guard let program = wanted.flatMap(search) ?? search("x-terminal-emulator") else { return nil }
    return TerminalProgram(program: program, options: ["-e"], extctl: extctl)
  }

  /// Program and arguments of `extctl browse`. An identifier may begin as an option does.
  func browsing(_ identifier: String?) -> [String] {
    [program] + options + [extctl, "browse"] + (identifier.map { ["--", $0] } ?? [])
  }

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
