internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let install = Command(
    name: "install", arguments: ["PATH"], summary: "copy a bundle into your root, all of it or nothing",
    details:
      "One that fails a check of 'extctl lint' is refused, with all that is wrong. It is copied to a hidden name beside "
      + "its place first, and put there in one step; a bundle of the same name is replaced. What it is then, and what to "
      + "do next, is printed. Installing approves nothing.",
    options: [
      .init(name: "root", value: "DIRECTORY", help: "where to; $XDG_DATA_HOME/extensiond unless given")
    ]
  ) { invocation in
    let source = try Path.absolute(invocation.arguments[0])
    let root = try invocation.values["root"].map(Path.absolute) ?? Path.dataHome() + "/extensiond"
    let target = root + "/" + Path.split(source).name
    let faults = BundleLook.faultsOfCopy(try BundleLook.rows(at: source, followingLink: true))
    if !faults.isEmpty {
      throw ControlError(
        .failed,
        "nothing is installed, since \(source) would be invalid:\n"
          + faults.map(\.faultText).joined(separator: "\n"))
    }
    try BundleCopy.install(source, as: target)
    let reply: AdminInterface.List.Reply
    do {
      _ = try invocation.admin(AdminInterface.Rescan(wait: true))
      reply = try invocation.bundles(target)
    } catch let error as ControlError {
      let cause =
        error.isNotFound
        ? "it is not found there: \(root) is no root of the broker ('extctl status' lists them); add it to EXTENSIOND_PATH"
        : "the broker could not be asked about it: \(error)"
      throw ControlError(error.status, "\(target) is installed, but \(cause)", reply: error.reply)
    }
    try invocation.show(reply) {
      reply.extensions.map { item in
        // Most explanations say it already.
        let next = item.explanation.contains("extctl ") ? "" : "; next: \(item.nextCommand)"
        return Terminal.visible("installed \(item.path): \(item.state.rawValue); \(item.explanation)\(next)")
      }.joined(separator: "\n")
    }
    return .success
  }
}

extension AdminInterface.Extension {
  /// What a person most likely wants to do with it now.
  var nextCommand: String {
    let name = identifier ?? path
    switch state {
    case .unapproved, .changed: return "extctl approve \(name)"
    case .disabled: return "extctl enable \(name)"
    case .invalid, .nearMiss: return "extctl lint \(path)"
    case .incompatible, .blocked: return "extctl explain \(path)"
    case .shadowed: return "extctl list \(name)"
    case .enabled: return extensionPoint == nil ? "extctl points" : "extctl activate \(name)"
    }
  }
}
