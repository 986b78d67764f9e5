internal import ExtensionInterfaces

// Whether a host is who it says it is, as far as the kernel can tell.

extension Broker {
  /// The peer is the program of a host bundle of this name, or runs in its control group.
  func isVerified(_ identifier: String, _ peer: Peer) -> Bool {
    if let executable = peer.executable, peer.isExecutableHere,
      catalog.applications(identifier).contains(where: { isProgram(executable, of: $0) })
    {
      return true
    }
    return peer.controlGroup.map { ControlGroupName.names(identifier, $0) } ?? false
  }

  private func isProgram(_ executable: String, of application: BundleFacts) -> Bool {
    guard application.problems.isEmpty else { return false }
    if let program = application.program, application.path + "/" + program == executable { return true }
    return application.programs.contains(executable) && maySpeakForOthers(application)
  }

  /// Whether a bundle is believed that a program elsewhere is its own. Anybody can write that, and put it into a root: so it
  /// must be from root, or approved as it is.
  private func maySpeakForOthers(_ application: BundleFacts) -> Bool {
    switch catalog.entries[application.path]?.state {
    case .enabled: true
    case .unapproved: application.rootOwned
    default: false
    }
  }
}

/// The name of a control group that a desktop made for an application: `app[-<launcher>]-<id>-<random>.scope` or
/// `app[-<launcher>]-<id>[@<random>].service`, as systemd.io/DESKTOP_ENVIRONMENTS asks for.
enum ControlGroupName {
  static func names(_ identifier: String, _ group: String) -> Bool {
    guard let suffix = [".scope", ".service"].first(where: group.hasSuffix) else { return false }
    let body = group.dropLast(suffix.count).prefix { $0 != "@" }
    let parts = body.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0] == "app" else { return false }
    // Hyphens inside of a part are escaped.
    let escaped = identifier.split(separator: "-", omittingEmptySubsequences: false).joined(
      separator: "\\x2d")
    // What has no dot is no identifier, so it is the random part.
    let last = parts[parts.count - 1]
    return last == escaped || !last.contains(".") && parts[parts.count - 2] == escaped
  }
  /// The application that Flatpak runs in `app-flatpak-<id>-<number>.scope`; it makes one for each, from outside.
  static func flatpak(_ group: String) -> String? {
    guard group.hasPrefix("app-flatpak-"), group.hasSuffix(".scope"), let end = group.lastIndex(of: "-")
    else {
      return nil
    }
    let parts = group[..<end].dropFirst("app-flatpak-".count).split(
      separator: "\\", omittingEmptySubsequences: false)
    let name = parts.dropFirst().reduce(into: String(parts[0])) { name, part in
      name += part.hasPrefix("x2d") ? "-" + part.dropFirst(3) : "\\" + part
    }
    return name.isEmpty ? nil : name
  }
}
