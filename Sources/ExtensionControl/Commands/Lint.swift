internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let lint = Command(
    name: "lint", arguments: ["ID|PATH"], summary: "list everything that is wrong with a bundle",
    details:
      "Exit status 1 when something is. What it asks for is listed too. A path may lead anywhere, and no broker is "
      + "needed for it; what is inside an application is looked at with it. An identifier is that of a bundle in a root."
  ) { invocation in
    let name = try invocation.subject()
    let rows = try name.hasPrefix("/") ? BundleLook.rows(at: name) : listed(name, invocation)
    try invocation.show(AdminInterface.List.Reply(extensions: rows)) {
      rows.map { Terminal.visible($0.lintText) }.joined(separator: "\n")
    }
    return rows.allSatisfy(\.problems.isEmpty) ? .success : .failed
  }

  private static func listed(_ name: String, _ invocation: Invocation) throws -> [AdminInterface.Extension] {
    do { return try invocation.bundles(name).extensions } catch let error
      as ControlError where error.isNotFound && File.exists(name)
    {
      // It is no identifier but something that lies here.
      return try BundleLook.rows(at: Path.absolute(name))
    }
  }
}
