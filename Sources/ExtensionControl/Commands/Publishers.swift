internal import ExtensionInterfaces

extension Command {
  static let publishers = Command(
    name: "publishers", summary: "list the keys that signed extensions, and what they may update",
    details:
      "A key is shown by its fingerprint, as ssh-keygen -l prints it. It is not proof of a name: compare it with what the "
      + "publisher says elsewhere. 'extctl approve --publisher' lets a key update an extension, and --revoke ends all that "
      + "a key has signed, here and in future.",
    options: [
      .init(name: "revoke", value: "FINGERPRINT", help: "nothing signed with this key runs any more"),
      .init(name: "restore", value: "FINGERPRINT", help: "take a revocation back"),
    ]
  ) { invocation in
    if let key = invocation.values["revoke"] {
      _ = try invocation.admin(AdminInterface.RevokePublisher(fingerprint: key))
    }
    if let key = invocation.values["restore"] {
      _ = try invocation.admin(AdminInterface.Reset(extension: key))
    }
    let reply = try invocation.admin(AdminInterface.ListPublishers())
    try invocation.show(reply) {
      Terminal.table(
        ["FINGERPRINT", "STATE", "SIGNED", "MAY UPDATE"],
        reply.publishers.map { row in
          [
            row.fingerprint, row.revoked ? "revoked" : "-", row.extensions.joined(separator: " "),
            row.approved.joined(separator: " "),
          ].map { $0.isEmpty ? "-" : $0 }
        })
    }
    if reply.publishers.isEmpty, !invocation.isJSON { Terminal.say("nothing that was found is signed") }
    return .success
  }
}
