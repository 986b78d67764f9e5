extension Command {
  static let completion = Command(
    name: "completion", arguments: ["bash|zsh|fish"], summary: "print the completions for a shell",
    details: "For bash: extctl completion bash > ~/.local/share/bash-completion/completions/extctl"
  ) { invocation in
    guard let shell = Completions.Shell(rawValue: invocation.arguments[0]) else {
      throw ControlError(
        .usage, "there are completions for bash, zsh and fish, not for '\(invocation.arguments[0])'")
    }
    let text = Completions.text(for: shell, ExtensionControl.commands)
    try invocation.show(document: text)
    return .success
  }
}
