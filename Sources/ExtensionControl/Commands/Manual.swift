extension Command {
  static let manual = Command(
    name: "manual", summary: "print the man page, extctl.1",
    options: [.init(name: "markdown", help: "as Markdown instead, as in docs/extctl.md")]
  ) { invocation in
    let commands = ExtensionControl.commands
    let text = invocation.has("markdown") ? Markdown.text(of: commands) : ManPage.text(of: commands)
    try invocation.show(document: text)
    return .success
  }
}
