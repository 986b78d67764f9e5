internal import ExtensionInterfaces

extension Command {
  static let hosts = Command(
    name: "hosts", summary: "list the hosts that are connected",
    details:
      "A name is verified where the kernel shows that the process is that host's program; else it is only claimed."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.ListHosts())
    try invocation.show(reply) {
      Terminal.table(
        ["HOST", "PROCESS", "NAME IS", "CONNECTIONS", "STREAMS", "ACTIVATIONS", "PROGRAM", "UNIT"],
        reply.hosts.map { host in
          [
            host.identifier, "\(host.pid)", host.verified ? "verified" : "claimed", "\(host.connections)",
            "\(host.subscriptions)", "\(host.activations)", host.executable ?? "-",
            host.flatpak.map { "Flatpak \($0)" } ?? (host.sandboxed ? "sandbox" : host.controlGroup ?? "-"),
          ]
        })
    }
    if reply.hosts.isEmpty, !invocation.isJSON { Terminal.say("no host is connected") }
    return .success
  }
}
