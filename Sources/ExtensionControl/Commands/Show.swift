internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let show = Command(
    name: "show", arguments: ["ID|PATH"],
    summary: "show everything that is known about an extension or a host",
    details:
      "Of one that runs also the sandbox of each instance, as the kernel has it: what holds, not what was asked for."
  ) { invocation in
    let reply = try invocation.bundles(invocation.subject())
    let paths = Set(reply.extensions.filter { $0.instances > 0 }.map(\.path))
    let running =
      paths.isEmpty
      ? [] : try invocation.admin(AdminInterface.ListInstances()).instances.filter { paths.contains($0.path) }
    // One that has ended meanwhile has no sandbox any more.
    let sandboxes = running.flatMap {
      (try? invocation.admin(AdminInterface.Inspect(instance: $0.id)).sandboxes) ?? []
    }
    try invocation.show(reply, AdminInterface.Inspect.Reply(sandboxes: sandboxes)) {
      (reply.extensions.map(\.text) + sandboxes.map(\.text)).joined(separator: "\n\n")
    }
    return .success
  }
}

extension AdminInterface.Extension {
  /// The key that it is signed with.
  var publisherText: String? {
    publisher.map { $0 + (publisherKeyType.map { " (\($0))" } ?? "") }
  }

  /// Everything, one field a line.
  var text: String { text(approved: nil) }

  /// The same; `approved`: what it asked for before, so that what it did not is marked.
  func text(approved: [String]?) -> String {
    var rows: [(name: String, value: String)] = [
      ("identifier", identifier ?? "-"), ("name", localizedName ?? "-"), ("state", mark),
      ("", explanation),
      ("version", [version, buildVersion.map { "(build \($0))" }].compactMap { $0 }.joined(separator: " ")),
      ("point", (extensionPoint ?? "-") + (pointVersion.map { ", made for version \($0)" } ?? "")),
      ("path", path),
      ("writable by", rootOwned ? "root only" : "you"),
      ("digest", digest ?? "-"),
      ("entitlements", entitlements.isEmpty ? "nothing beyond its sandbox" : asksText(approved: approved)),
      (
        "signed by",
        (publisherText ?? "nobody")
          + (approvedPublisher.map { $0 == publisher ? ", whose updates are approved" : "" } ?? "")
      ),
      ("running", "\(instances)"),
    ]
    let said = [
      ("description", details?.description), ("developer", details?.developer), ("license", details?.license),
      ("copyright", details?.copyright), ("home page", details?.homePage), ("icon", details?.icon),
    ]
    for (name, value) in said { if let value { rows.append((name, value)) } }
    if let containingHost { rows.append(("inside", containingHost)) }
    if let programs { rows.append(("programs", programs.joined(separator: "\n"))) }
    if let quarantinedUntil { rows.append(("quarantined", "until \(WallClock.text(quarantinedUntil))")) }
    for problem in problems { rows.append(("problem", "\(problem.check): \(problem.message)")) }
    return Terminal.fields(rows)
  }

  /// What it asks for, one a line, in words.
  func asksText(approved: [String]? = nil) -> String {
    Entitlement.meanings(of: entitlements).map { ask in
      let isNew = approved.map { !$0.contains(ask.name) } ?? false
      var folder = ""
      if case .appGroup(let group)? = Entitlement(ask.name), let data = try? Path.dataHome() {
        folder = " The folder is \(data)/extensiond-groups/\(group)."
      }
      return "\(ask.name)\(isNew ? " (NEW)" : ""): \(ask.meaning)\(folder)"
    }.joined(separator: "\n")
  }
}
