internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// The command extctl as a library.
public enum ExtensionControl {
  public static let version = Version.current

  /// In the order of the help.
  static let commands: [Command] = [
    .list, .show, .explain, .browse, .approve, .disable, .reset, .history, .publishers, .pin, .unpin, .export,
    .import,
    .forget, .points, .hosts,
    .ps,
    .connections, .activate, .connect, .call, .stop, .watch, .logs, .new, .bundle, .dev, .preview, .install,
    .remove,
    .rescan, .lint, .sign, .status,
    .doctor,
    .completion,
    .manual,
    .help,
  ]

  /// Runs one command line, without the program's name.
  public static func run(_ words: [String]) -> ExitStatus {
    var isJSON = words.prefix { $0 != "--" }.contains("--json")
    do {
      if words.first == "--version" {
        let invocation = Invocation(command: .help, arguments: [], values: isJSON ? ["json": ""] : [:])
        try invocation.show(json: ["version": .string(version)]) { "extctl \(version)" }
        return .success
      }
      let invocation = try CommandLineParser(commands: commands + [.words]).parse(words)
      isJSON = invocation.isJSON
      return try invocation.command.run(invocation)
    } catch {
      let failure = error as? ControlError ?? ControlError(.internalError, "\(error)")
      if isJSON {
        try? Terminal.write(JSON.object(failure.json).text)
      } else {
        Terminal.say("extctl: \(Terminal.visible(failure.description))")
      }
      return failure.status
    }
  }
}
