internal import LinuxSystem
internal import Varlink

/// The command extctl as a library.
public enum ExtensionControl {
  public static let version = "0.1.0"

  /// In the order of the help.
  static let commands: [Command] = [
    .list, .show, .explain, .approve, .disable, .reset, .history, .points, .hosts, .ps, .connections,
    .activate,
    .connect, .stop, .watch, .logs, .install, .remove, .rescan, .lint, .status, .doctor, .completion, .manual,
  ]

  /// Runs one command line, without the program's name.
  public static func run(_ words: [String]) -> ExitStatus {
    if words.isEmpty || ["help", "--help", "-h"].contains(words[0]) { return help(words.dropFirst().first) }
    if words[0] == "--version" {
      Terminal.write("extctl \(version)")
      return .success
    }
    if words.dropFirst().contains("--help") { return help(words[0]) }
    do {
      let invocation = try CommandLineParser.parse(words, commands: commands)
      return try invocation.command.run(invocation)
    } catch {
      let failure = error as? ControlError ?? ControlError(.internalError, "\(error)")
      if words.contains("--json") {
        let object: JSONObject = [
          "schema": 1,
          "error": [
            "status": .integer(Int64(failure.status.rawValue)), "message": .string(failure.description),
          ],
        ]
        Terminal.write(JSON.object(object).text)
      } else {
        CurrentProcess.printError("extctl: \(Terminal.visible(failure.description))")
      }
      return failure.status
    }
  }

  private static func help(_ name: String?) -> ExitStatus {
    guard let name else {
      Terminal.write(Manual.overview(commands))
      return .success
    }
    guard let command = commands.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
      CurrentProcess.printError("extctl: there is no command '\(name)'")
      return .usage
    }
    Terminal.write(Manual.help(command))
    return .success
  }
}
