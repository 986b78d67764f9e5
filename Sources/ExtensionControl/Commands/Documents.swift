extension Command {
  static let completion = Command(
    name: "completion", arguments: "bash|zsh|fish", count: 1...1, summary: "print the completions for a shell"
  ) { invocation in
    guard let text = Manual.completion(invocation.arguments[0], ExtensionControl.commands) else {
      throw ControlError(
        .usage, "there are completions for bash, zsh and fish, not for \(invocation.arguments[0])")
    }
    Terminal.write(text)
    return .success
  }

  static let manual = Command(
    name: "manual", summary: "print the man page",
    options: [.init(name: "markdown", help: "as Markdown instead")]
  ) { invocation in
    let commands = ExtensionControl.commands
    Terminal.write(
      invocation.switches.contains("markdown") ? Manual.markdown(commands) : Manual.manPage(commands))
    return .success
  }
}
