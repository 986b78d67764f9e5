internal import ExtensionInterfaces

extension Command {
  static let rescan = Command(
    name: "rescan", summary: "read all roots again",
    details: "Seldom needed: roots are watched.",
    options: [.init(name: "wait", help: "return when the result is in force")]
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.Rescan(wait: invocation.has("wait")))
    try invocation.show(reply) { "" }
    return .success
  }
}
