internal import ExtensionInterfaces

extension Command {
  static let disable = Command(
    name: "disable", arguments: ["ID|PATH"],
    summary: "keep hosts from using an extension, and end what runs of it"
  ) { invocation in
    let name = try invocation.subject()
    let reply = try invocation.admin(AdminInterface.Disable(extension: name))
    try invocation.show(reply) {
      "disabled \(Terminal.visible(name)); 'extctl enable \(name)' allows it again"
    }
    return .success
  }
}
