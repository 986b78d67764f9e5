internal import LinuxSystem

extension Command {
  static let browse = Command(
    name: "browse", arguments: ["[ID|PATH]"],
    summary: "look through extensions and decide about them, on the whole terminal",
    details:
      "What happens meanwhile is seen at once. Enter shows what an extension asks for and why it may be used or not, a "
      + "approves exactly what is shown, p approves updates signed with the same key as well, ? lists all keys, q ends it. "
      + "With a name it begins with that one."
  ) { invocation in
    if invocation.isJSON {
      throw ControlError(.usage, "browse is for people; 'extctl list --json' is for programs")
    }
    guard CurrentProcess.isTerminal(0), CurrentProcess.isTerminal(1),
      ![nil, "dumb"].contains(CurrentProcess.environment("TERM"))
    else {
      throw ControlError(
        .usage,
        "browse needs a terminal that can be drawn on, and this is none; use 'extctl list' and 'extctl show'")
    }
    let name = try invocation.subject()
    return try BrowseSession(showing: name.isEmpty ? nil : name).run()
  }
}
