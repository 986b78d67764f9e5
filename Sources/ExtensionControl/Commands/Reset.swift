internal import ExtensionInterfaces

extension Command {
  static let reset = Command(
    name: "reset", arguments: ["ID|PATH"],
    summary: "forget the decision about an extension, its crashes and its quarantine"
  ) { invocation in
    let name = try invocation.subject()
    let reply = try invocation.admin(AdminInterface.Reset(extension: name))
    try invocation.show(reply) {
      "nothing is decided about \(Terminal.visible(name)) now; 'extctl show \(name)' shows it"
    }
    return .success
  }
}
