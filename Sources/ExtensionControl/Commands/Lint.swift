internal import ExtensionInterfaces

extension Command {
  static let lint = Command(
    name: "lint", arguments: ["ID|PATH"], summary: "list everything that is wrong with a bundle in a root",
    details:
      "Exit status 1 when something is. For a bundle that lies elsewhere: install it, or name its directory in EXTENSIOND_PATH."
  ) { invocation in
    let name = try invocation.subject()
    let reply: AdminInterface.List.Reply
    do { reply = try invocation.admin(AdminInterface.List(extension: name)) } catch let error as ControlError
      where error.isNotFound && name.hasPrefix("/")
    {
      throw ControlError(
        .failed,
        "\(name) lies in no root, or is not a bundle at all; install it with 'extctl install \(name)', or start the broker "
          + "with its directory in EXTENSIOND_PATH", reply: error.reply)
    }
    try invocation.show(reply) {
      reply.extensions.map { item in
        let problems = item.problems.map { "  \($0.check): \($0.message)" }
        return Terminal.visible(
          problems.isEmpty
            ? "\(item.path): nothing is wrong" : "\(item.path):\n" + problems.joined(separator: "\n"))
      }.joined(separator: "\n")
    }
    return reply.extensions.allSatisfy(\.problems.isEmpty) ? .success : .failed
  }
}
