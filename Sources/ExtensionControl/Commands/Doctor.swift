internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let doctor = Command(
    name: "doctor", summary: "look at everything that extensions need on this machine",
    details: "Exit status 1 when something is missing."
  ) { invocation in
    var checks: [AdminInterface.Gate] = []
    func check(_ name: String, _ passes: Bool, _ evidence: String, mend: String? = nil) {
      checks.append(
        .init(name: name, result: passes ? .pass : .fail, evidence: evidence, mend: passes ? nil : mend))
    }
    let runtime = CurrentProcess.environment("XDG_RUNTIME_DIR")
    let status = runtime.flatMap { try? FileStatus(at: $0, followLinks: true) }
    check(
      "runtime",
      status?.kind == .directory && status?.userID == CurrentProcess.userID
        && status?.isWritableByOthers == false,
      "XDG_RUNTIME_DIR is \(runtime ?? "not set")",
      mend: "log in through a session manager, or set it to a directory of your own with mode 0700")
    let manager = runtime.map { File.exists($0 + "/systemd/private") } ?? false
    check(
      "service manager", true,
      manager ? "a systemd user manager is there" : "none; the broker is started by hand")
    let bwrap = CurrentProcess.environment("EXTENSIOND_BWRAP") ?? "/usr/bin/bwrap"
    check("bubblewrap", File.exists(bwrap), bwrap, mend: "apt install bubblewrap")
    check(
      "sandbox", sandboxWorks(bwrap), "an empty sandbox can be made",
      mend: "allow unprivileged user name spaces")
    do {
      let reply = try invocation.admin(AdminInterface.Status(), timeout: .seconds(10))
      check("broker", true, "extensiond \(reply.version), process \(reply.pid)")
      check(
        "launcher", reply.launcher == .connected,
        reply.launcherPid.map { "process \($0)" } ?? "none is connected",
        mend: "systemctl --user restart extensiond-launcher.service; journalctl --user -u extensiond-launcher"
      )
      check(
        "control groups", reply.controlGroups || !manager,
        reply.controlGroups ? "each instance has one" : "none; instances are ended by their sandbox",
        mend: "the launcher's unit needs Delegate=yes")
      for root in reply.roots where root.state == .failed || root.state == .polled {
        check(
          "root", root.state == .polled, "\(root.path) is \(root.state.rawValue): \(root.detail ?? "")",
          mend: "make it readable")
      }
      for warning in reply.warnings { check("warning", false, warning) }
    } catch let error as ControlError {
      check("broker", false, error.description, mend: "systemctl --user enable --now extensiond.socket")
    }
    let healthy = checks.allSatisfy { $0.result == .pass }
    invocation.show(AdminInterface.Explain.Reply(gates: checks, usable: healthy)) {
      checks.map { gate in
        "\(gate.result == .pass ? "ok  " : "FAIL")  \(gate.name.padding(to: 16))\(Terminal.visible(gate.evidence))"
          + (gate.mend.map { "\n      \($0)" } ?? "")
      }.joined(separator: "\n")
    }
    return healthy ? .success : .failed
  }

  private static func sandboxWorks(_ bwrap: String) -> Bool {
    guard let null = try? File.open("/dev/null", .readWrite) else { return false }
    let shared = SharedDescriptor(null)
    guard
      let child = try? Spawn(
        path: bwrap, arguments: ["--unshare-all", "--ro-bind", "/", "/", "/bin/true"], environment: [],
        descriptors: [shared, shared, shared]
      ).run()
    else { return false }
    let process = child.takeProcess()
    guard (try? Poll.readable(process.descriptor.rawValue, deadline: .now + .seconds(10))) == true else {
      return false
    }
    return (try? process.reap()) == .exited(status: 0)
  }
}
