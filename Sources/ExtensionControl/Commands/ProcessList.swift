internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let ps = Command(name: "ps", summary: "list the extensions that run") { invocation in
    let reply = try invocation.admin(AdminInterface.ListInstances())
    try invocation.show(reply) {
      Terminal.table(
        ["INSTANCE", "EXTENSION", "VERSION", "PROCESS", "STATE", "ACTIVATIONS", "SINCE"],
        reply.instances.map { item in
          [
            item.id, item.extension + (item.developer == true ? " (developer)" : ""), item.version,
            item.pid.map(String.init) ?? "-", item.state.rawValue,
            "\(item.activations)", WallClock.text(item.since),
          ]
        })
    }
    if reply.instances.isEmpty, !invocation.isJSON { Terminal.say("no extension runs") }
    return .success
  }
}
