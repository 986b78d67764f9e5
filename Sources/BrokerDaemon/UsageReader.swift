internal import ExtensionInterfaces
internal import LauncherProtocol
internal import LinuxSystem

/// What instances use: from their control groups where these tell it, else from their processes. For a worker.
struct UsageReader {
  struct Subject: Sendable {
    let instance: String
    /// What the launcher started.
    let processID: Int32
  }

  /// Processes that are looked at, of all instances together. Each has its part, past which nothing is counted: one with
  /// many does not keep the others from being measured.
  private static let processLimit = 32_768

  private let share: Int

  /// One that has ended meanwhile is left out.
  static func read(_ subjects: [Subject]) -> [AdminInterface.Usage] {
    let reader = Self(share: processLimit / max(1, subjects.count))
    return subjects.compactMap { reader.usage($0) }
  }

  private func usage(_ subject: Subject) -> AdminInterface.Usage? {
    guard let processes = ProcessUsage(below: subject.processID, limit: share) else { return nil }
    var usage = AdminInterface.Usage(
      instance: subject.instance, memory: processes.memory, cpuTime: processes.cpuTime,
      processes: processes.threads)
    if let program = processes.program {
      hold(&usage, Self.resourceLimits(of: program), isSandboxed: processes.isSandboxed)
    }
    if let group = Self.group(of: subject) { read(group, into: &usage) }
    return usage
  }

  /// Its own group, and not one that it shares with the launcher.
  private static func group(of subject: Subject) -> ControlGroup? {
    guard let root = ControlGroup.root, let path = ControlGroup.path(ofProcess: subject.processID),
      path.hasSuffix("/i-\(subject.instance)")
    else { return nil }
    return try? ControlGroup(path: root + path)
  }

  private func read(_ group: ControlGroup, into usage: inout AdminInterface.Usage) {
    func number(_ file: String) -> Int? { group.read(file).flatMap { Int($0) } }
    if let memory = number("memory.current") {
      usage.memory = memory
      usage.memoryPeak = number("memory.peak")
      if let limit = number("memory.max") {
        usage.memoryLimit = limit
        usage.memoryLimitHolds = .instance
      }
    }
    if let tasks = number("pids.current"), let limit = number("pids.max") {
      // What is in the group and not below the program is the sandbox's own.
      usage.processLimit = limit - max(0, tasks - usage.processes)
    }
    usage.cpuWeight = number("cpu.weight")
    if let time = group.read("cpu.stat").flatMap({ GroupValues($0)["usage_usec"] }) { usage.cpuTime = time }
  }

  private func hold(_ usage: inout AdminInterface.Usage, _ limits: [String: Int], isSandboxed: Bool) {
    if let data = limits["Max data size"] {
      usage.memoryLimit = data
      usage.memoryLimitHolds = .process
    }
    // Without a sandbox it is what the person may start in all, and nothing that the extension is held to.
    if isSandboxed, let processes = limits["Max processes"], CurrentProcess.limitsProcessesOfSandboxes {
      usage.processLimit = processes - LauncherPacket.insideProcesses
    }
    usage.openFileLimit = limits["Max open files"]
    usage.fileSizeLimit = limits["Max file size"]
  }

  /// The hard ones: names in the first 26 columns, then two numbers of at most 21. "unlimited" is none.
  private static func resourceLimits(of processID: Int32) -> [String: Int] {
    guard let bytes = try? File.read("/proc/\(processID)/limits", limit: 1 << 14) else { return [:] }
    var limits: [String: Int] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
      let name = line.prefix(26).split(separator: " ").joined(separator: " ")
      limits[name] = line.dropFirst(26).split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
    return limits
  }
}
