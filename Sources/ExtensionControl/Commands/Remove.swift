internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let remove = Command(
    name: "remove", aliases: ["uninstall"], arguments: ["ID|PATH"],
    summary: "remove a bundle that you installed",
    details: "What runs of it is ended. The decision about it is kept; 'extctl reset' forgets it.",
    options: [.init(name: "data", help: "remove what the extension has stored, too")]
  ) { invocation in
    let name = try invocation.subject()
    let found = try invocation.bundles(name).extensions
    guard let item = found.first, found.count == 1 else {
      throw ControlError(.failed, ControlError.ambiguous(name, found.map(\.path)))
    }
    let roots = try invocation.admin(AdminInterface.Status()).roots.map(\.path)
    try checkOwnership(item, roots)
    try BundleCopy.remove(item.path)
    if invocation.has("data"), let container = try container(of: item), File.exists(container) {
      try BundleCopy.remove(container)
    }
    let reply = try invocation.admin(AdminInterface.Rescan(wait: true))
    try invocation.show(reply) { "removed \(Terminal.visible(item.path))" }
    return .success
  }

  /// Throws unless the bundle lies directly in a root of this user's own.
  private static func checkOwnership(_ item: AdminInterface.Extension, _ roots: [String]) throws(ControlError)
  {
    if let host = item.containingHost {
      throw ControlError(.failed, "\(item.path) is part of \(host); remove that: extctl remove \(host)")
    }
    let root = Path.split(item.path).directory
    let status = try? FileStatus(at: root, followLinks: true)
    guard roots.contains(root), !root.hasPrefix("/usr/"), status?.userID == CurrentProcess.userID else {
      throw ControlError(
        .failed,
        "\(item.path) is not in a root of yours, so it was not installed by you; remove it the way it was installed, "
          + "or keep it from being used: extctl disable \(item.identifier ?? item.path)")
    }
  }

  private static func container(of item: AdminInterface.Extension) throws(ControlError) -> String? {
    // It becomes a path, so only what an identifier may hold counts.
    guard let identifier = item.identifier, identifier.first != ".",
      identifier.utf8.allSatisfy({ byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      })
    else { return nil }
    return try Path.dataHome() + "/extensiond-containers/" + identifier
  }
}
