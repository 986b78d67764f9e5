internal import ExtensionInterfaces

extension AdminInterface.Sandbox {
  /// One field a line.
  var text: String {
    func list(_ facts: [AdminInterface.Fact]) -> String {
      facts.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
    }
    func names(_ own: Bool) -> String {
      let names = nameSpaces.filter { $0.own == own }.map(\.name)
      return names.isEmpty ? "none" : names.joined(separator: " ")
    }
    let level =
      switch landlock {
      case 0?: "none: this kernel has none that is of use"
      case let level?: "ABI \(level)"
      case nil: "not asked for"
      }
    var rows: [(name: String, value: String)] = [
      ("instance", instance), ("process", "\(pid)"), ("landlock", level), ("status", list(status)),
      ("user map", userMap.joined(separator: "\n")),
      ("own spaces", names(true)), ("shared spaces", names(false)),
      ("mounts", mounts.map(\.text).joined(separator: "\n")), ("control group", controlGroup ?? "-"),
    ]
    if !controlGroupLimits.isEmpty { rows.append(("", list(controlGroupLimits))) }
    rows.append(("limits", list(resourceLimits)))
    if !unreadable.isEmpty { rows.append(("cannot be read", unreadable.joined(separator: ", "))) }
    return Terminal.fields(rows)
  }
}

extension AdminInterface.MountPoint {
  fileprivate var text: String {
    "\(readOnly ? "ro" : "rw") \(fileSystem.padding(to: 8)) \(path)" + (size.map { ", \($0) bytes" } ?? "")
  }
}
