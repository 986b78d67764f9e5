/// docs/extctl.md.
enum Markdown {
  static func text(of commands: [Command]) -> String {
    var text = """
      # extctl

      Finds, approves, inspects and uses app extensions. This page is made by `make docs` from the table of commands.

      Results go to standard output, talk to standard error. Every command takes `--json`: it prints one object with
      `"schema": 1` and the members that the interfaces of the broker declare, or one such object a line where there are
      several. A failure is an object too: `error` has `status`, `message`, and the `name` and `parameters` of the broker's
      error. Control characters in what comes from bundles and extensions are shown as `\\u{1b}`, never sent to a terminal.

      | command | |
      |---|---|

      """
    for command in commands {
      text += "| [`\(command.name)`](#extctl-\(command.name)) | \(command.summary) |\n"
    }
    for command in commands {
      text += "\n## extctl \(command.name)\n\n    \(command.synopsis)\n\n\(sentence(command.summary)).\n"
      if !command.details.isEmpty { text += "\(command.details)\n" }
      if !command.aliases.isEmpty {
        text += "\nAlso: \(command.aliases.map { "`\($0)`" }.joined(separator: ", ")).\n"
      }
      text += options(command.options)
    }
    text += "\n## Options of every command\n" + options(Command.common)
    text += "\n## Exit status\n\n| status | meaning |\n|---|---|\n"
    for status in ExitStatus.allCases { text += "| \(status.rawValue) | \(status.meaning) |\n" }
    return text
  }

  private static func options(_ options: [Command.Option]) -> String {
    if options.isEmpty { return "" }
    return "\n| option | |\n|---|---|\n"
      + options.map { "| `\(HelpText.signature($0))` | \($0.help) |\n" }.joined()
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
