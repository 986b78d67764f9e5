internal import ExtensionInterfaces

extension Command {
  static let points = Command(name: "points", summary: "list the extension points, and who defines them") {
    invocation in
    let reply = try invocation.admin(AdminInterface.ListExtensionPoints())
    try invocation.show(reply) {
      Terminal.table(
        ["POINT", "HOST", "SCOPE", "UI", "INSTANCES", "EXTENSIONS"],
        reply.extensionPoints.map { point in
          [
            point.identifier, point.host ?? "(everybody)", point.scope.rawValue,
            point.userInterface ? "yes" : "no",
            point.instancePolicy.rawValue, "\(point.extensions)",
          ]
        })
    }
    if reply.extensionPoints.isEmpty, !invocation.isJSON {
      Terminal.say("no host or file defines an extension point")
    }
    return .success
  }
}
