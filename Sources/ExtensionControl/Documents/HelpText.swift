/// What `extctl help` prints.
enum HelpText {
  static func overview(of commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    return """
      usage: extctl COMMAND [OPTIONS] [ARGUMENTS]

      Finds, approves, inspects and uses app extensions.

      \(commands.map { "  \($0.name.padding(to: width))  \($0.summary)" }.joined(separator: "\n"))

      'extctl help COMMAND' tells more. Every command takes --json.

      Exit status:
      \(ExitStatus.allCases.map { "  \("\($0.rawValue)".padding(to: width))  \($0.meaning)" }.joined(separator: "\n"))
      """
  }

  static func text(of command: Command) -> String {
    var parts = ["usage: \(command.synopsis)", "\(command.summary)."]
    if !command.details.isEmpty { parts.append(wrapped(command.details)) }
    if !command.aliases.isEmpty { parts.append("also: \(command.aliases.joined(separator: ", "))") }
    parts.append(command.allOptions.map { "  \(signature($0))\n      \($0.help)" }.joined(separator: "\n"))
    return parts.joined(separator: "\n\n")
  }

  /// Like `-f, --follow` or `--host ID`.
  static func signature(_ option: Command.Option) -> String {
    let letter = option.letter.map { "-\($0), " } ?? ""
    return "\(letter)--\(option.name)" + (option.value.map { " \($0)" } ?? "")
  }

  private static func wrapped(_ text: String) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count >= 80 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.joined(separator: "\n")
  }
}
