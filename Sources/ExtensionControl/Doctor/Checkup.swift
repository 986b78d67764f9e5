internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// All that extensions need, looked at in the order in which it is needed.
enum Checkup {
  static func run() -> [Check] {
    guard let runtime = try? BrokerLocation.runtimeDirectory() else {
      return [
        Check(
          "runtime directory", .fail, "XDG_RUNTIME_DIR is not set",
          mend: "log in through a session manager, or set it to a directory of your own with mode 0700")
      ] + machine()
    }
    return [runtimeDirectory(runtime)] + serviceManager() + machine() + broker()
  }

  static func runtimeDirectory(_ path: String) -> Check {
    let mend = "make it a directory of your own with mode 0700, or log in through a session manager"
    guard let status = try? FileStatus(at: path, followLinks: true), status.kind == .directory else {
      return Check("runtime directory", .fail, "\(path) is no directory", mend: mend)
    }
    guard status.userID == CurrentProcess.userID else {
      return Check("runtime directory", .fail, "\(path) belongs to user \(status.userID)", mend: mend)
    }
    let mode = String(status.mode, radix: 8)
    return Check(
      "runtime directory", status.isWritableByOthers ? .fail : status.mode & 0o077 == 0 ? .ok : .warn,
      "\(path), mode 0\(mode)", mend: "chmod 0700 \(path)")
  }

  private static func serviceManager() -> [Check] {
    guard BrokerLocation.hasServiceManager else {
      return [
        Check(
          "service manager", .ok, "no systemd of the user runs; extctl and hosts start the broker by hand")
      ]
    }
    let states = ["extensiond.socket", "extensiond-launcher.service"].map { unit in
      let run = Program.run("systemctl", ["--user", "is-enabled", unit])
      let state = run.output.isEmpty ? "unknown" : run.output
      let isFit = run.end == .exited(status: 0)
      return Check(
        "unit", isFit ? .ok : .warn, "\(unit) is \(state)", mend: "systemctl --user enable --now \(unit)")
    }
    return [Check("service manager", .ok, "a systemd of the user runs")] + states
  }

  private static func machine() -> [Check] { [bubblewrap(), nameSpaces(), controlGroups(), inotify()] }

  private static func bubblewrap() -> Check {
    let program = CurrentProcess.environment("EXTENSIOND_BWRAP") ?? "/usr/bin/bwrap"
    guard File.exists(program) else {
      return Check("bubblewrap", .fail, "there is no \(program)", mend: "install it: apt install bubblewrap")
    }
    let run = Program.run(program, ["--ro-bind", "/", "/", "true"])
    return run.end == .exited(status: 0)
      ? Check("bubblewrap", .ok, "\(program) makes a sandbox")
      : Check(
        "bubblewrap", .fail, "\(program) makes no sandbox: \(run.output)",
        mend: "allow user name spaces, see below")
  }

  private static func nameSpaces() -> Check {
    func value(_ path: String) -> Int? {
      (try? File.read(path, limit: 64)).flatMap {
        Int(String(decoding: $0.filter { $0 > 32 }, as: UTF8.self))
      }
    }
    let forbidding = [
      ("/proc/sys/user/max_user_namespaces", 0, "sysctl user.max_user_namespaces=15000"),
      ("/proc/sys/kernel/unprivileged_userns_clone", 0, "sysctl kernel.unprivileged_userns_clone=1"),
      (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
        "install an AppArmor profile that allows bwrap 'userns,', or sysctl kernel.apparmor_restrict_unprivileged_userns=0"
      ),
    ].first { value($0.0) == $0.1 }
    guard let forbidding else {
      return Check("user name spaces", .ok, "no setting of the kernel forbids them")
    }
    return Check(
      "user name spaces", CurrentProcess.userID == 0 ? .warn : .fail, "\(forbidding.0) is \(forbidding.1)",
      mend: forbidding.2)
  }

  private static func controlGroups() -> Check {
    let root = ControlGroup.root
    return Check(
      "control groups", root == nil ? .warn : .ok,
      root.map { "version 2 is at \($0)" } ?? "version 2 is not mounted",
      mend: "boot with systemd.unified_cgroup_hierarchy=1; without it, instances have no limits of their own")
  }

  private static func inotify() -> Check {
    let path = "/proc/sys/fs/inotify/max_user_watches"
    let text = (try? File.read(path, limit: 64)).map {
      String(decoding: $0.filter { $0 > 32 }, as: UTF8.self)
    }
    let count = text.flatMap(Int.init) ?? 0
    return Check(
      "inotify", count >= 8192 ? .ok : .warn, "\(count) directories can be watched",
      mend: "sysctl fs.inotify.max_user_watches=65536")
  }
}
