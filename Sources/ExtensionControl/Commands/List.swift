internal import ExtensionInterfaces

extension Command {
  static let list = Command(
    name: "list", arguments: "[ID|PATH]", count: 0...1,
    summary: "list extensions and hosts, and what state they are in",
    details: "Broken bundles and near misses are listed too, with the first thing that is wrong."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.List(extension: invocation.arguments.first))
    invocation.show(reply) {
      if reply.extensions.isEmpty { return "no extensions; 'extctl status' shows where they are looked for" }
      return Terminal.table(
        ["STATE", "IDENTIFIER", "VERSION", "POINT", "PATH"],
        reply.extensions.map { item in
          [
            item.state.rawValue, item.identifier ?? "-", item.version ?? "-", item.extensionPoint ?? "(host)",
            item.path,
          ]
        })
    }
    return .success
  }

  static let show = Command(
    name: "show", arguments: "ID|PATH", count: 1...1, summary: "show everything about an extension"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.List(extension: invocation.arguments[0]))
    invocation.show(reply) { reply.extensions.map(describe).joined(separator: "\n\n") }
    return .success
  }

  static func describe(_ item: AdminInterface.Extension) -> String {
    var rows: [(String, String)] = [
      ("identifier", item.identifier ?? "-"), ("name", item.localizedName ?? "-"),
      ("state", item.state.rawValue),
      ("", item.explanation), ("version", "\(item.version ?? "-") (build \(item.buildVersion ?? "-"))"),
      ("point", item.extensionPoint ?? "-"), ("path", item.path),
      ("writable by", item.rootOwned ? "root only" : "you"), ("digest", item.digest ?? "-"),
      ("entitlements", item.entitlements.isEmpty ? "none" : item.entitlements.joined(separator: ", ")),
      ("running", "\(item.instances)"),
    ]
    if let host = item.containingHost { rows.append(("inside", host)) }
    for problem in item.problems { rows.append(("problem", "\(problem.check): \(problem.message)")) }
    return rows.map { label, value in
      label.padding(to: 14) + Terminal.visible(value)
    }.joined(separator: "\n")
  }

  static let explain = Command(
    name: "explain", arguments: "ID|PATH", count: 1...1,
    summary: "say why an extension may or may not be used, gate by gate",
    details: "Nothing is started. Exit status 1 when a gate is shut.",
    options: [.init(name: "host", value: "ID", help: "the host that wants to use it")]
  ) { invocation in
    let reply = try invocation.admin(
      AdminInterface.Explain(extension: invocation.arguments[0], host: invocation.values["host"]))
    invocation.show(reply) {
      reply.gates.map { gate in
        let mark = [.pass: "pass", .fail: "FAIL", .unknown: "    "][gate.result] ?? ""
        let mend = gate.mend.map { "\n      \($0)" } ?? ""
        return "\(mark)  \(gate.name.padding(to: 14))\(Terminal.visible(gate.evidence))\(mend)"
      }.joined(separator: "\n")
    }
    return reply.usable ? .success : .failed
  }
}

extension String {
  func padding(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self + " "
  }
}
