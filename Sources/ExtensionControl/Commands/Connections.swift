internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let connections = Command(
    name: "connections", aliases: ["activations"], summary: "list who uses which extension, for which scene"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.ListActivations())
    try invocation.show(reply) {
      Terminal.table(
        ["ACTIVATION", "EXTENSION", "HOST", "SCENE", "CONNECTIONS", "SINCE"],
        reply.activations.map { item in
          [
            item.id, item.extension, item.host, item.scene ?? "-", "\(item.connections)",
            WallClock.text(item.since),
          ]
        })
    }
    if reply.activations.isEmpty, !invocation.isJSON { Terminal.say("no extension is in use") }
    return .success
  }
}
