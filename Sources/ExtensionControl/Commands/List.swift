internal import ExtensionInterfaces

extension Command {
  static let list = Command(
    name: "list", aliases: ["ls"], arguments: ["[ID|PATH]"],
    summary: "list extensions and hosts, and the state they are in",
    details:
      "Broken bundles and near misses are listed too. Of several copies of one extension only the one that is used is, "
      + "unless you name it or give --all.",
    options: [.init(name: "all", letter: "a", help: "list copies that another one shadows, too")]
  ) { invocation in
    let found = try invocation.bundles(invocation.arguments.isEmpty ? nil : invocation.subject()).extensions
    let isFull = invocation.has("all") || !invocation.arguments.isEmpty
    let shown = isFull ? found : found.filter { $0.state != .shadowed }
    try invocation.show(AdminInterface.List.Reply(extensions: shown)) {
      // Where nothing is signed it would be an empty column.
      let showsSigners = shown.contains { $0.publisher != nil }
      return Terminal.table(
        ["STATE", "IDENTIFIER", "VERSION", "POINT"] + (showsSigners ? ["SIGNED BY"] : []) + ["PATH"],
        shown.map { item in
          [item.mark, item.identifier ?? "-", item.version ?? "-", item.extensionPoint ?? "(host)"]
            + (showsSigners ? [item.publisherText ?? "nobody"] : []) + [item.path]
        })
    }
    if invocation.isJSON { return .success }
    if shown.isEmpty { Terminal.say("no extensions; 'extctl status' shows where they are looked for") }
    if shown.count < found.count {
      Terminal.say(
        "\(found.count - shown.count) shadowed copies are not listed; 'extctl list --all' lists them")
    }
    return .success
  }
}

extension AdminInterface.Extension {
  /// The state; of a developer's bundle in use, that it is one.
  var mark: String { developer == true && state == .enabled ? "developer" : state.rawValue }
}
