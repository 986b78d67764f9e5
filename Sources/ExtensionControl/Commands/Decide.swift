internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let approve = Command(
    name: "approve", aliases: ["enable"], arguments: "ID|PATH", count: 1...1,
    summary: "let hosts use an extension, or approve a host with all that is inside it",
    details:
      "What is approved is shown first: the approval is for exactly this content. If it is another by then, nothing is approved.",
    options: [.init(name: "yes", short: "y", help: "do not ask")]
  ) { invocation in
    let name = invocation.arguments[0]
    let found = try invocation.admin(AdminInterface.List(extension: name)).extensions
    let candidates = found.filter { $0.state != .shadowed }
    guard let item = candidates.first, candidates.count == 1 else {
      throw ControlError(
        .failed,
        "several bundles are \(name); name one by its path: \(found.map(\.path).joined(separator: ", "))")
    }
    guard let digest = item.digest else {
      throw ControlError(.failed, "\(name) cannot be approved: \(item.explanation)")
    }
    if !invocation.isJSON { Terminal.write(describe(item)) }
    if !invocation.switches.contains("yes") { try confirm("Approve exactly this?") }
    let reply = try invocation.admin(
      AdminInterface.Approve(extension: item.path, digest: digest, entitlements: item.entitlements))
    invocation.show(reply) { "approved \(Terminal.visible(item.identifier ?? item.path))" }
    return .success
  }

  private static func confirm(_ question: String) throws {
    guard CurrentProcess.isTerminal(0) else {
      throw ControlError(
        .usage, "nobody can be asked, since standard input is no terminal; give --yes to approve")
    }
    Terminal.write("\(question) [y/N]")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw ControlError(.failed, "not approved")
    }
  }

  static let disable = Command(
    name: "disable", arguments: "ID|PATH", count: 1...1,
    summary: "keep hosts from using an extension, and end what runs of it"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.Disable(extension: invocation.arguments[0]))
    invocation.show(reply) { "disabled \(invocation.arguments[0])" }
    return .success
  }

  static let reset = Command(
    name: "reset", arguments: "ID|PATH", count: 1...1,
    summary: "forget the decision about an extension, its crashes and its quarantine"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.Reset(extension: invocation.arguments[0]))
    invocation.show(reply) { "nothing is decided about \(invocation.arguments[0]) now" }
    return .success
  }

  static let history = Command(
    name: "history", arguments: "[ID]", count: 0...1,
    summary: "list the decisions that were made, newest first"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.History(extension: invocation.arguments.first))
    invocation.show(reply) {
      Terminal.table(
        ["TIME", "DECISION", "IDENTIFIER", "DIGEST", "BY"],
        reply.decisions.map { row in
          [
            Time.text(row.time), row.decision.rawValue, row.identifier,
            String((row.digest ?? "-").prefix(19)), row.peer,
          ]
        })
    }
    return .success
  }
}
