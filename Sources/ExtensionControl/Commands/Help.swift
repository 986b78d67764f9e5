extension Command {
  static let help = Command(
    name: "help", arguments: ["[COMMAND]"], summary: "explain a command, or list them all"
  ) { invocation in
    let commands = ExtensionControl.commands
    let text: String
    if let name = invocation.arguments.first {
      text = HelpText.text(of: try CommandLineParser(commands: commands).command(name))
    } else {
      text = HelpText.overview(of: commands)
    }
    try invocation.show(document: text)
    return .success
  }
}
