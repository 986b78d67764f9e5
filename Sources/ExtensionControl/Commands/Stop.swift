internal import ExtensionInterfaces

extension Command {
  static let stop = Command(
    name: "stop", arguments: ["ID|INSTANCE"],
    summary: "end an extension, or one instance, and return when it has ended",
    details: "'extctl ps' lists the instances. A host may start it again; 'extctl disable' prevents that."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.Stop(target: invocation.subject()))
    try invocation.show(reply) { "\(reply.ended) ended" }
    return .success
  }
}
