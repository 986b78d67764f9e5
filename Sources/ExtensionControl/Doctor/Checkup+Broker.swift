internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Checkup {
  /// What the broker says of itself. Starts none.
  static func broker() -> [Check] {
    do {
      let host = try BrokerLocation.path(.host)
      _ = try VarlinkClient(path: host).call(ServiceInterface.GetInfo(), timeout: .seconds(10))
      let admin = try BrokerLocation.path(.admin)
      let client = try VarlinkClient(path: admin)
      let status = try client.call(AdminInterface.Status(), timeout: .seconds(10)).reply
      let listed = try client.call(AdminInterface.List(), timeout: .seconds(10)).reply
      return [
        Check("broker", .ok, "extensiond \(status.version), process \(status.pid), answers at both sockets")
      ]
        + judge(status) + judge(listed.extensions)
    } catch VarlinkClientError.unreachable(let path, let errno) where !BrokerLocation.hasServiceManager {
      return [
        Check(
          "broker", .warn, "none runs (\(path): \(errno))",
          mend: "nothing, extctl starts it; or by hand: extensiond")
      ]
    } catch {
      return [
        Check(
          "broker", .fail, "\(error)",
          mend: "\(BrokerLocation.unitMend); journalctl --user -u extensiond.service -n 20 shows why it fails"
        )
      ]
    }
  }

  static func judge(_ status: AdminInterface.Status.Reply) -> [Check] {
    var checks = [
      Check(
        "launcher", status.launcher == .connected ? .ok : .fail,
        status.launcherPid.map { "process \($0)" } ?? status.launcher.rawValue,
        mend:
          "systemctl --user restart extensiond-launcher.service; journalctl --user -u extensiond-launcher -n 20"
      ),
      Check(
        "delegation", status.controlGroups ? .ok : .warn,
        status.controlGroups
          ? "each instance has a control group" : "instances have no control groups, so no limits",
        mend: "run the launcher as extensiond-launcher.service, which has Delegate=yes"),
    ]
    for root in status.roots {
      let detail = root.detail.map { " (\($0))" } ?? ""
      let text = "\(root.path) is \(root.state.rawValue)\(detail)"
      switch root.state {
      case .watched, .absent: checks.append(Check("root", .ok, text))
      case .polled:
        checks.append(
          Check("root", .warn, text, mend: "'extctl rescan --wait' reads it at once; move it to a local disk")
        )
      case .unread:
        checks.append(
          Check(
            "root", .warn, text,
            mend: "see why its file system does not answer, 'ls \(root.path)'; it is read when it does"))
      case .failed:
        checks.append(Check("root", .fail, text, mend: "ls -ld \(root.path); make it readable for you"))
      }
    }
    return checks + status.warnings.map { Check("warning", .warn, $0, mend: "see 'extctl status'") }
  }
  /// Bundles that cannot be used since they are broken: no fault of this machine, but nobody is told else.
  static func judge(_ bundles: [AdminInterface.Extension]) -> [Check] {
    let broken = bundles.filter { !$0.problems.isEmpty }
    if broken.isEmpty { return [Check("bundles", .ok, "\(bundles.count) found, none is broken")] }
    return broken.map {
      Check(
        "bundle", .warn, "\($0.path) is \($0.state.rawValue): \($0.explanation)",
        mend: "extctl lint \($0.path)")
    }
  }
}
