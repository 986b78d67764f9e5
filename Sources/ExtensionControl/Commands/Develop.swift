internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let dev = Command(
    name: "dev", arguments: ["run|simulate", "ID|PATH"],
    summary: "use a bundle that you work on, or be its host, until Ctrl-C",
    details:
      "run: the bundle may lie anywhere, in a build's directory too. Hosts may use it at once, without approval and with "
      + "whatever is built into it. What it asks for is printed, and given unless the policy forbids it. Every list marks it "
      + "as a developer's. It is never used in the place of an installed one. What its instances write to standard output and error is printed, and what becomes of them. When this "
      + "command ends, they end, and the bundle is gone. "
      + "simulate: the same, and this command is a host of the bundle, or of an extension that is installed. It activates "
      + "it with each of its scenes, connects, and obeys the lines of standard input: "
      + Simulation.commands.map(\.form).joined(separator: ", ")
      + ", help. From a pipe, a call is waited for before the next "
      + "line. Answers are printed on standard output, one a line; on standard error whatever else a host is told, what the "
      + "extension calls, and what it prints (after |). Exit status 0 when nothing failed, or that of the first failure.",
    options: [
      .init(
        name: "wait",
        help:
          "stop each instance before the first instruction of its program, for a debugger; it has no deadlines then"
      )
    ] + Simulation.options
  ) { invocation in
    if invocation.arguments[0] == "simulate" { return try Simulation(invocation).run() }
    if let option = Simulation.options.first(where: { invocation.has($0.name) }) {
      throw ControlError(.usage, "--\(option.name) is for 'dev simulate'")
    }
    guard invocation.arguments[0] == "run" else {
      throw ControlError(
        .usage, "there is no 'dev \(invocation.arguments[0])'; usage: \(invocation.command.synopsis)")
    }
    let path = try place(of: invocation.arguments[1])
    var isFirst = true
    try invocation.follow(AdminInterface.Develop(path: path, wait: invocation.has("wait"))) { event in
      if invocation.isJSON { return try invocation.show(event) { "" } }
      if let lines = event.lines {
        try Terminal.write(lines.map { Terminal.visible($0, keepingLines: false) }.joined(separator: "\n"))
      }
      for item in event.extensions ?? [] { Terminal.say(Terminal.visible(try invocation.describe(item))) }
      if let text = event.text { Terminal.say(Terminal.visible(text)) }
      if isFirst { Terminal.say("Ctrl-C ends it") }
      isFirst = false
    }
    return .success
  }

  /// Where a bundle is, without links: a build may turn them to another one meanwhile.
  static func place(of path: String) throws(ControlError) -> String {
    let absolute = try Path.absolute(path)
    do throws(Errno) {
      let directory = try File.open(absolute, .directory)
      return try File.readLink("/proc/self/fd/\(directory.rawValue)")
    } catch {
      throw ControlError(.failed, "\(absolute) is no bundle that can be read: \(error)")
    }
  }
}

extension Invocation {
  /// What a developer's bundle is, what it gets without approval, and what keeps hosts from it.
  func describe(_ item: AdminInterface.Extension) throws -> String {
    let name = item.identifier ?? item.path
    guard item.state == .enabled else {
      let problems = item.problems.map { "\n  \($0.check): \($0.message)" }.joined()
      return "\(name): \(item.state.rawValue)" + (problems.isEmpty ? "; \(item.explanation)" : problems)
    }
    guard let point = item.extensionPoint else { return "\(name): developer; a host, from \(item.path)" }
    let gates = try admin(AdminInterface.Explain(extension: item.path)).gates
    // A launcher comes by itself, or an instance says why it cannot start.
    let failures = gates.filter { $0.result == .fail && $0.name != "launcher" }.map { gate in
      "\n  \(gate.name): \(gate.evidence)" + (gate.mend.map { "; \($0)" } ?? "")
    }
    let asks =
      item.entitlements.isEmpty
      ? ""
      : "\n  it asks for, and gets without approval:"
        + item.asksText().split(separator: "\n").map { "\n    \($0)" }.joined()
    return "\(name): developer; for \(point), from \(item.path)" + asks + failures.joined()
  }
}

extension AdminInterface.Develop.Reply {
  /// What became of an instance.
  var text: String? {
    let name = "instance \(instance ?? "")"
    switch event {
    case .found, .output: return nil
    case .started: return "\(name) has started (process \(pid ?? 0))"
    case .waiting: return "\(name) is stopped before its first instruction; \(Self.debugging(pid ?? 0))"
    case .ready: return "\(name) is ready"
    case .ended: return "\(name) has ended" + (reason.map { ": \($0.text)" } ?? "")
    }
  }

  private static func debugging(_ process: Int) -> String {
    let scope = (try? File.read("/proc/sys/kernel/yama/ptrace_scope", limit: 16)) ?? []
    let isRestricted = scope.first.map { $0 != UInt8(ascii: "0") } ?? false
    let hint =
      isRestricted
      ? "\nThis system lets only root attach; 'sudo sysctl kernel.yama.ptrace_scope=0' lets you, until it restarts."
      : ""
    // A stop that nobody has taken back holds again as soon as a debugger lets go: so gdb takes it back, and then gives
    // the program neither of the two signals.
    let gdb =
      "gdb -p \(process) -iex 'set sysroot /proc/\(process)/root' -iex 'handle SIGSTOP SIGCONT nostop noprint nopass' "
      + "-ex 'shell kill -CONT \(process)'"
    return """
      in another terminal:
        \(gdb)
      Set breakpoints there, then 'continue'. To go on without a debugger: kill -CONT \(process)\(hint)
      """
  }
}
