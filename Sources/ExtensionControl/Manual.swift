/// Help, man page and completions, all from the table of commands.
enum Manual {
  static func overview(_ commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    let lines = commands.map { command in
      "  \(command.name)\(String(repeating: " ", count: width - command.name.count))  \(command.summary)"
    }
    let statuses = ExitStatus.allCases.map { "  \($0.rawValue)\t\($0.meaning)" }
    return """
      usage: extctl COMMAND [OPTIONS] [ARGUMENTS]

      Finds, approves, inspects and uses app extensions.

      \(lines.joined(separator: "\n"))

      'extctl help COMMAND' tells more. Every command takes --json.

      Exit status:
      \(statuses.joined(separator: "\n"))
      """
  }

  static func help(_ command: Command) -> String {
    var text = "usage: extctl \(command.name)"
    if !command.arguments.isEmpty { text += " \(command.arguments)" }
    text += "\n\n\(command.summary)."
    if !command.details.isEmpty { text += "\n\n\(command.details)" }
    if !command.aliases.isEmpty { text += "\n\nAlso: \(command.aliases.joined(separator: ", "))" }
    let options = (command.options + Command.common).map { option in
      "  \(name(option))\n      \(option.help)"
    }
    return text + "\n\n" + options.joined(separator: "\n")
  }

  private static func name(_ option: Command.Option) -> String {
    let short = option.short.map { "-\($0), " } ?? ""
    return "\(short)--\(option.name)" + (option.value.map { " \($0)" } ?? "")
  }

  /// In the language of man(7).
  static func manPage(_ commands: [Command]) -> String {
    func escape(_ text: String) -> String {
      text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
        .split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
    }
    var page = """
      .TH EXTCTL 1 "" "extensiond \(ExtensionControl.version)" "User Commands"
      .SH NAME
      extctl \\- find, approve, inspect and use app extensions
      .SH SYNOPSIS
      .B extctl
      .I COMMAND
      [OPTIONS] [ARGUMENTS]
      .SH COMMANDS

      """
    for command in commands {
      page +=
        ".TP\n.B \(command.name) \(escape(command.arguments))\n\(escape(command.summary)). \(escape(command.details))\n"
      for option in command.options {
        page += ".RS\n.TP\n.B \(escape(name(option)))\n\(escape(option.help))\n.RE\n"
      }
    }
    page += ".SH OPTIONS\n.TP\n.B \\-\\-json\nprint one JSON object, for programs\n.SH EXIT STATUS\n"
    for status in ExitStatus.allCases { page += ".TP\n.B \(status.rawValue)\n\(status.meaning)\n" }
    return page
  }

  /// For docs/extctl.md.
  static func markdown(_ commands: [Command]) -> String {
    var text = "# extctl\n\nMade by `extctl manual --markdown` from the table of commands.\n"
    for command in commands {
      text += "\n## extctl \(command.name) \(command.arguments)\n\n\(command.summary). \(command.details)\n"
      if !command.options.isEmpty { text += "\n| option | |\n|---|---|\n" }
      for option in command.options { text += "| `\(name(option))` | \(option.help) |\n" }
    }
    text += "\n## Exit status\n\n| status | meaning |\n|---|---|\n"
    for status in ExitStatus.allCases { text += "| \(status.rawValue) | \(status.meaning) |\n" }
    return text
  }

  static func completion(_ shell: String, _ commands: [Command]) -> String? {
    let names = commands.map(\.name).joined(separator: " ")
    func options(_ command: Command) -> String {
      (command.options + Command.common).map { "--\($0.name)" }.joined(separator: " ")
    }
    switch shell {
    case "bash":
      let cases = commands.map { "    \($0.name)) words='\(options($0))' ;;" }.joined(separator: "\n")
      return """
        _extctl() {
          local word=${COMP_WORDS[COMP_CWORD]} words='\(names)'
          if [ "$COMP_CWORD" -gt 1 ]; then
            case ${COMP_WORDS[1]} in
        \(cases)
            esac
          fi
          COMPREPLY=($(compgen -W "$words" -- "$word"))
        }
        complete -o default -F _extctl extctl
        """
    case "zsh":
      let lines = commands.map { "    '\($0.name):\($0.summary)'" }.joined(separator: "\n")
      let cases = commands.map { "    \($0.name)) compadd -- \(options($0)); _files ;;" }.joined(
        separator: "\n")
      return """
        #compdef extctl
        local -a commands
        commands=(
        \(lines)
        )
        if (( CURRENT == 2 )); then _describe command commands; else
          case $words[2] in
        \(cases)
          esac
        fi
        """
    case "fish":
      return commands.flatMap { command in
        ["complete -c extctl -n __fish_use_subcommand -f -a \(command.name) -d '\(command.summary)'"]
          + (command.options + Command.common).map {
            "complete -c extctl -n '__fish_seen_subcommand_from \(command.name)' -l \($0.name) -d '\($0.help)'"
          }
      }.joined(separator: "\n")
    default: return nil
    }
  }
}
