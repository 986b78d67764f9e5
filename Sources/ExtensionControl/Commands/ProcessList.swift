internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let ps = Command(
    name: "ps", summary: "list the extensions that run, and what they use",
    details:
      "Memory, CPU time and processes are those of the extension and all that it has started; after the slash is the "
      + "limit. With 'each' it is a limit of every process, since nothing here holds all together; '-' stands where "
      + "nothing does. Numbers that are not rounded, and further limits, are in --json."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.ListInstances())
    let measured = try invocation.admin(AdminInterface.MeasureInstances())
    let usages = Dictionary(measured.usages.map { ($0.instance, $0) }) { $1 }
    try invocation.show(reply, measured) {
      Terminal.table(
        [
          "INSTANCE", "EXTENSION", "VERSION", "PROCESS", "STATE", "ACTIVATIONS", "MEMORY", "CPU",
          "PROCESSES", "SINCE",
        ],
        reply.instances.map { item in
          let usage = usages[item.id]
          return [
            item.id, item.extension + (item.developer == true ? " (developer)" : ""), item.version,
            item.pid.map(String.init) ?? "-", item.state.rawValue, "\(item.activations)",
            usage?.memoryText ?? "-", usage?.cpuText ?? "-", usage?.processText ?? "-",
            WallClock.text(item.since),
          ]
        })
    }
    if reply.instances.isEmpty, !invocation.isJSON { Terminal.say("no extension runs") }
    return .success
  }
}

extension AdminInterface.Usage {
  fileprivate var memoryText: String {
    "\(Self.bytes(memory))/\(memoryLimit.map(Self.bytes) ?? "-")"
      + (memoryLimitHolds == .process ? " each" : "")
  }

  fileprivate var processText: String { "\(processes)/\(processLimit.map(String.init) ?? "-")" }

  /// Seconds, with two digits after the point.
  fileprivate var cpuText: String {
    let hundredths = cpuTime / 10_000
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)s"
  }

  private static func bytes(_ value: Int) -> String {
    value >= 10 << 20 ? "\(value >> 20)M" : "\(value >> 10)K"
  }
}
