internal import ExtensionInterfaces
internal import Varlink

extension Command {
  static let points = Command(
    name: "points", summary: "list the extension points, and who defines them",
    details:
      "VERSION is that of the point's interface. An extension that is made for a later one, or for one whose first number "
      + "is another, is incompatible.",
    options: [
      .init(name: "interface", value: "POINT", help: "print the Varlink description that a point carries")
    ]
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.ListExtensionPoints())
    if let name = invocation.values["interface"] {
      let text = try interface(name, reply.extensionPoints)
      try invocation.show(json: ["text": .string(text)]) { Terminal.visible(text) }
      return .success
    }
    try invocation.show(reply) {
      Terminal.table(
        ["POINT", "HOST", "SCOPE", "UI", "INSTANCES", "VERSION", "INTERFACE", "EXTENSIONS"],
        reply.extensionPoints.map { point in
          [
            point.identifier, point.host ?? "(everybody)", point.scope.rawValue,
            point.userInterface ? "yes" : "no", point.instancePolicy.rawValue, point.version ?? "-",
            point.interface.map { Path.split($0).name } ?? "-", "\(point.extensions)",
          ]
        })
    }
    if reply.extensionPoints.isEmpty, !invocation.isJSON {
      Terminal.say("no host or file defines an extension point")
    }
    return .success
  }

  private static func interface(_ name: String, _ points: [AdminInterface.ExtensionPoint])
    throws(ControlError)
    -> String
  {
    guard let point = points.first(where: { $0.identifier == name }) else {
      throw ControlError(
        .failed, "no host or file defines \(name); 'extctl points' lists those that are there")
    }
    guard let path = point.interface else {
      throw ControlError(.failed, "\(name) carries no interface; Interface in \(point.path) can name one")
    }
    return try InterfaceFile.text(of: point, at: path)
  }
}
