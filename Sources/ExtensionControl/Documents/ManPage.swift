/// extctl.1, in the language of man(7).
enum ManPage {
  static func text(of commands: [Command]) -> String {
    var page = """
      .TH EXTCTL 1 "" "extensiond \(ExtensionControl.version)" "User Commands"
      .SH NAME
      extctl \\- find, approve, inspect and use app extensions
      .SH SYNOPSIS
      .B extctl
      .I COMMAND
      [OPTIONS] [ARGUMENTS]
      .SH DESCRIPTION
      extctl talks to the broker of the user, extensiond.
      Where no service manager starts it, extctl does.
      .SH COMMANDS

      """
    for command in commands {
      page += ".TP\n.B \(escaped(([command.name] + command.arguments).joined(separator: " ")))\n"
      page += paragraph("\(command.summary). \(command.details)")
      if !command.aliases.isEmpty { page += paragraph("Also: \(command.aliases.joined(separator: ", ")).") }
      page += options(command.options)
    }
    page += ".SH OPTIONS\nKnown by every command:\n" + options(Command.common)
    page += ".SH EXIT STATUS\n"
    for status in ExitStatus.allCases { page += ".TP\n.B \(status.rawValue)\n\(escaped(status.meaning))\n" }
    page += """
      .SH ENVIRONMENT
      .TP
      .B XDG_RUNTIME_DIR
      where the broker's sockets are
      .TP
      .B XDG_DATA_HOME
      where bundles are installed, below extensiond
      .TP
      .B NO_COLOR
      no emphasis on terminals
      """
    return page
  }

  private static func options(_ options: [Command.Option]) -> String {
    if options.isEmpty { return "" }
    return ".RS\n"
      + options.map { ".TP\n.B \(escaped(HelpText.signature($0)))\n\(escaped($0.help))\n" }.joined()
      + ".RE\n"
  }

  /// A sentence a line, as man pages are written; a line must not begin with a control character.
  private static func paragraph(_ text: String) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
      if word.hasSuffix(".") { lines.append("") }
    }
    return lines.filter { !$0.isEmpty }.map { escaped($0) + "\n" }.joined()
  }

  static func escaped(_ text: String) -> String {
    var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      // Else they become typographic quotes, which nobody can paste.
      case "'": result += "\\(aq"
      default: result.append(character)
      }
    }
    return result
  }
}
