internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let points = Command(name: "points", summary: "list the extension points, and who defines them") {
    invocation in
    let reply = try invocation.admin(AdminInterface.ListExtensionPoints())
    invocation.show(reply) {
      Terminal.table(
        ["POINT", "HOST", "SCOPE", "UI", "INSTANCES", "EXTENSIONS"],
        reply.extensionPoints.map { point in
          [
            point.identifier, point.host ?? "(everybody)", point.scope.rawValue,
            point.userInterface ? "yes" : "no",
            point.instancePolicy.rawValue, "\(point.extensions)",
          ]
        })
    }
    return .success
  }

  static let hosts = Command(name: "hosts", summary: "list the hosts that are connected") { invocation in
    let reply = try invocation.admin(AdminInterface.ListHosts())
    invocation.show(reply) {
      Terminal.table(
        ["HOST", "PROCESS", "NAME IS", "CONNECTIONS", "STREAMS", "ACTIVATIONS"],
        reply.hosts.map { host in
          [
            host.identifier, "\(host.pid)", host.verified ? "verified" : "claimed", "\(host.connections)",
            "\(host.subscriptions)", "\(host.activations)",
          ]
        })
    }
    return .success
  }

  static let ps = Command(name: "ps", summary: "list the extensions that run") { invocation in
    let reply = try invocation.admin(AdminInterface.ListInstances())
    invocation.show(reply) {
      Terminal.table(
        ["INSTANCE", "EXTENSION", "VERSION", "PROCESS", "STATE", "ACTIVATIONS", "SINCE"],
        reply.instances.map { item in
          [
            item.id, item.extension, item.version, item.pid.map(String.init) ?? "-", item.state.rawValue,
            "\(item.activations)", Time.text(item.since),
          ]
        })
    }
    return .success
  }

  static let connections = Command(
    name: "connections", summary: "list who uses which extension, for which scene"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.ListActivations())
    invocation.show(reply) {
      Terminal.table(
        ["ACTIVATION", "EXTENSION", "HOST", "SCENE", "CONNECTIONS", "SINCE"],
        reply.activations.map { item in
          [
            item.id, item.extension, item.host, item.scene ?? "-", "\(item.connections)",
            Time.text(item.since),
          ]
        })
    }
    return .success
  }

  static let stop = Command(
    name: "stop", arguments: "ID|INSTANCE", count: 1...1,
    summary: "end an extension, and say when it has ended"
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.Stop(target: invocation.arguments[0]))
    invocation.show(reply) { "\(reply.ended) ended" }
    return .success
  }

  static let rescan = Command(
    name: "rescan", summary: "read all roots again",
    options: [.init(name: "wait", help: "return when the result is in force")]
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.Rescan(wait: invocation.switches.contains("wait")))
    invocation.show(reply) { "" }
    return .success
  }

  static let status = Command(name: "status", summary: "show the broker's state, its roots and its limits") {
    invocation in
    let reply = try invocation.admin(AdminInterface.Status())
    invocation.show(reply) {
      let roots = reply.roots.map {
        [$0.state.rawValue, "\($0.bundles)", $0.path + ($0.detail.map { " (\($0))" } ?? "")]
      }
      let limits = reply.limits.map { [$0.name, "\($0.value)", $0.meaning] }
      let launcher = reply.launcherPid.map { "process \($0)" } ?? "none"
      return """
        extensiond \(reply.version), process \(reply.pid), since \(Time.text(reply.since))
        launcher: \(launcher), control groups: \(reply.controlGroups ? "yes" : "no")
        \(reply.extensions) extensions, \(reply.instances) running, \(reply.activations) in use, \(reply.hosts) hosts, \(reply.descriptors) descriptors
        \(reply.warnings.map { "warning: \(Terminal.visible($0))\n" }.joined())
        \(Terminal.table(["ROOT IS", "BUNDLES", "PATH"], roots))

        \(Terminal.table(["LIMIT", "VALUE", "MEANING"], limits))
        """
    }
    return .success
  }
}

/// Times for people.
enum Time {
  static func text(_ milliseconds: Int) -> String { WallClock.text(milliseconds) }
}
