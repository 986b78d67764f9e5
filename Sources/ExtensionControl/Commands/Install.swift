internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let install = Command(
    name: "install", arguments: "BUNDLE", count: 1...1,
    summary: "copy a bundle into a root, all of it or nothing",
    details:
      "It is copied beside its place first, and put there in one step. A bundle of the same name is replaced.",
    options: [.init(name: "root", value: "DIRECTORY", help: "where to; your own root unless given")]
  ) { invocation in
    let source = trimmed(invocation.arguments[0])
    let name = source.split(separator: "/").last.map(String.init) ?? ""
    guard name.hasSuffix(".appex") || name.hasSuffix(".app") || name.hasSuffix(".appextensionpoint") else {
      throw ControlError(.failed, "\(source) is no bundle: its name must end with .appex or .app")
    }
    let root = invocation.values["root"] ?? userRoot
    let target = root + "/" + name
    do {
      try File.makeDirectories(root)
      try BundleCopy.install(source, as: target)
    } catch {
      throw ControlError(.failed, "cannot install \(source) as \(target): \(error)")
    }
    _ = try invocation.admin(AdminInterface.Rescan(wait: true))
    let reply = try invocation.admin(AdminInterface.List(extension: target))
    invocation.show(reply) {
      reply.extensions.map { "installed \($0.path): \($0.state.rawValue); \($0.explanation)" }.joined(
        separator: "\n")
    }
    return .success
  }

  static let remove = Command(
    name: "remove", arguments: "ID|PATH", count: 1...1, summary: "remove a bundle that you installed",
    options: [.init(name: "data", help: "remove what the extension has stored as well")]
  ) { invocation in
    let found = try invocation.admin(AdminInterface.List(extension: invocation.arguments[0])).extensions
    guard let item = found.first, found.count == 1 else {
      throw ControlError(
        .failed,
        "several bundles are that; name one by its path: \(found.map(\.path).joined(separator: ", "))")
    }
    guard !item.rootOwned else {
      throw ControlError(.failed, "\(item.path) was installed by root; remove it with the package manager")
    }
    guard item.containingHost == nil else {
      throw ControlError(.failed, "\(item.path) is part of \(item.containingHost ?? ""); remove that")
    }
    do {
      try BundleCopy.remove(item.path)
      if invocation.switches.contains("data"), let identifier = item.identifier {
        let container = dataHome + "/extensiond-containers/" + identifier
        if File.exists(container) { try BundleCopy.remove(container) }
      }
    } catch {
      throw ControlError(.failed, "cannot remove \(item.path): \(error)")
    }
    let reply = try invocation.admin(AdminInterface.Rescan(wait: true))
    invocation.show(reply) { "removed \(item.path)" }
    return .success
  }

  static let lint = Command(
    name: "lint", arguments: "ID|PATH", count: 1...1,
    summary: "list everything that is wrong with a bundle in a root",
    details: "Exit status 1 when something is."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.List(extension: trimmed(invocation.arguments[0])))
    invocation.show(reply) {
      reply.extensions.map { item in
        let problems = item.problems.map { "  \($0.check): \(Terminal.visible($0.message))" }
        return problems.isEmpty
          ? "\(item.path): nothing is wrong" : ([item.path + ":"] + problems).joined(separator: "\n")
      }.joined(separator: "\n")
    }
    return reply.extensions.allSatisfy(\.problems.isEmpty) ? .success : .failed
  }

  static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  static var dataHome: String {
    CurrentProcess.environment("XDG_DATA_HOME") ?? (CurrentProcess.environment("HOME") ?? "")
      + "/.local/share"
  }

  static var userRoot: String { dataHome + "/extensiond" }
}
