internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let history = Command(
    name: "history", arguments: ["[ID]"], summary: "list the decisions that were made, newest first",
    details: "Each with the content that was decided about, and the program that asked."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.History(extension: invocation.arguments.first))
    try invocation.show(reply) {
      Terminal.table(
        ["TIME", "DECISION", "IDENTIFIER", "DIGEST", "BY"],
        reply.decisions.map { row in
          [
            WallClock.text(row.time), row.decision.rawValue, row.identifier,
            String((row.digest ?? "-").prefix(19)), row.peer,
          ]
        })
    }
    if reply.decisions.isEmpty, !invocation.isJSON { Terminal.say("nothing was decided yet") }
    return .success
  }
}
