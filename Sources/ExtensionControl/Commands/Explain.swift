internal import ExtensionInterfaces

extension Command {
  static let explain = Command(
    name: "explain", aliases: ["why"], arguments: ["ID|PATH"],
    summary: "say why an extension may or may not be used, gate by gate",
    details:
      "Nothing is started. Exit status 0 when no gate is shut, 3 when one is, also where there is nothing of that name. "
      + "With --host it says whether that host is connected, and its name verified or only claimed; this gate is shut only "
      + "for a host in a sandbox that may not use the extension's point.",
    options: [
      .init(name: "host", value: "ID", help: "the host that wants to use it"),
      .init(name: "scene", value: "NAME", help: "the scene that it wants"),
    ]
  ) { invocation in
    let reply = try invocation.admin(
      AdminInterface.Explain(
        extension: invocation.subject(), host: invocation.values["host"], scene: invocation.values["scene"]))
    try invocation.show(reply) { reply.gates.map(\.text).joined(separator: "\n") }
    return reply.usable ? .success : .notEnabled
  }
}

extension AdminInterface.Gate {
  fileprivate var text: String { text(failure: Terminal.bold("FAIL")) }

  /// `failure`: what marks a gate that is shut.
  func text(failure: String) -> String {
    let mark =
      switch result {
      case .pass: "pass"
      case .fail: failure
      case .unknown: "    "
      }
    let mend = mend.map { "\n      -> \(Terminal.visible($0))" } ?? ""
    return "\(mark)  \(name.padding(to: 14)) \(Terminal.visible(evidence))\(mend)"
  }
}
