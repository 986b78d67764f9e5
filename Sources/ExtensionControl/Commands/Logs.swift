internal import ExtensionInterfaces

extension Command {
  static let logs = Command(
    name: "logs", arguments: ["ID"], summary: "print what an extension wrote to standard error",
    details:
      "The last lines, as long as the broker has run. The journal has all: journalctl --user EXTENSION=ID.",
    options: [.init(name: "follow", letter: "f", help: "go on with what it will write, until Ctrl-C")]
  ) { invocation in
    let call = try AdminInterface.Logs(extension: invocation.subject())
    func show(_ reply: AdminInterface.Logs.Reply) throws {
      try invocation.show(reply) {
        reply.lines.map { Terminal.visible($0, keepingLines: false) }.joined(separator: "\n")
      }
    }
    if invocation.has("follow") {
      try invocation.follow(call, show)
    } else {
      try show(invocation.admin(call))
    }
    return .success
  }
}
