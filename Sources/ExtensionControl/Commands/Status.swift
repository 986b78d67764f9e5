internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let status = Command(name: "status", summary: "show the broker's state, its roots and its limits") {
    invocation in
    let reply = try invocation.admin(AdminInterface.Status())
    try invocation.show(reply) { reply.text }
    return .success
  }
}

extension AdminInterface.Status.Reply {
  fileprivate var text: String {
    let facts = Terminal.fields([
      (
        "broker",
        "extensiond \(version), process \(pid), since \(WallClock.text(since)), generation \(generation)"
      ),
      ("launcher", launcherPid.map { "process \($0)" } ?? launcher.rawValue),
      ("control groups", controlGroups ? "one for each instance" : "none"),
      ("extensions", "\(extensions) found, \(instances) running, \(activations) in use by \(hosts) hosts"),
      ("descriptors", "\(descriptors)"),
      ("approval", approval == .everything ? "everything that is valid is approved" : "by you"),
    ])
    let roots = roots.map {
      [$0.state.rawValue, "\($0.bundles)", $0.path + ($0.detail.map { " (\($0))" } ?? "")]
    }
    let limits = limits.map { [$0.name, "\($0.value)", $0.meaning] }
    let parts = [
      facts, warnings.map { "warning: \(Terminal.visible($0))" }.joined(separator: "\n"),
      Terminal.table(["ROOT IS", "BUNDLES", "PATH"], roots),
      Terminal.table(["LIMIT", "VALUE", "MEANING"], limits),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }
}
