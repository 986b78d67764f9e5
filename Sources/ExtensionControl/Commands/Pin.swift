internal import ExtensionInterfaces

extension Command {
  static let pin = Command(
    name: "pin", arguments: ["PATH"],
    summary: "use this copy of an extension before others of its identifier",
    details:
      "It counts among the copies that may be used: a copy that is not approved never takes the place of one that is. "
      + "'extctl explain' says which copy is used and why."
  ) { invocation in
    let path = try invocation.subject()
    let reply = try invocation.admin(AdminInterface.Pin(path: path))
    try invocation.show(reply) { "\(Terminal.visible(path)) is pinned" }
    return .success
  }

  static let unpin = Command(
    name: "unpin", arguments: ["ID"], summary: "let root order and version say again which copy is used"
  ) { invocation in
    let name = try invocation.subject()
    let reply = try invocation.admin(AdminInterface.Unpin(extension: name))
    try invocation.show(reply) { "no copy of \(Terminal.visible(name)) is pinned now" }
    return .success
  }
}
