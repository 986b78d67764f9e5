internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

/// One running process tree of an extension, from its start to its end.
final class Instance {
  /// What an instance tells its launcher.
  struct Handlers {
    let executed: (Instance) -> Void
    /// The program, by its number, is stopped before its first instruction.
    let stopped: (Instance, _ program: Int32) -> Void
    let memoryPressure: (Instance) -> Void
    let ended: (Instance) -> Void
    /// Ends what sandboxes have left; whether something of it is still there.
    let leavesOrphans: () -> Bool
    /// false: there was no room.
    let output: (Instance, _ lines: [String], _ dropped: Int) -> Bool
  }

  /// How long to wait for the last processes of an instance whose first one has ended.
  private static let patience: Duration = .seconds(5)

  let name: String
  let extensionName: String
  var note: String
  let processID: Int32
  /// The broker's end of the control socket, kept for a broker that comes back.
  private(set) var control: SharedDescriptor?
  /// The last word, once there is one.
  private(set) var end: LauncherEventsInterface.Ended?

  private let loop: EventLoop
  private let handlers: Handlers
  private let groups: ControlGroups?
  private let isSandboxed: Bool
  /// bwrap, or extension-init where there is no sandbox.
  private var process: SharedProcess?
  /// extension-init in a sandbox: bwrap's child.
  private var inner: SharedProcess?
  private var innerID: Int32?
  private var group: ControlGroup?
  private var memory: MemoryWatch?
  private var bus: SessionBusProxy?
  private var report = ProgramReport()
  private var reportLines = LineReader()
  private var sandboxLines = LineReader()
  private var output: InstanceOutput?
  private var readers: [PipeReader] = []
  private var watches: [EventLoop.Watch] = []
  private var innerHasEnded = true
  private var wantsTermination = false
  private var processEnd: ProcessDescriptor.End?
  private var deadline = MonotonicTime.now

  init(
    _ request: LauncherInterface.Launch, bundle: SharedDescriptor?, channels: InstanceChannels, tools: Tools,
    groups: ControlGroups?, journal: JournalSocket, loop: EventLoop, handlers: Handlers
  ) throws(LaunchFailure) {
    name = request.instance
    extensionName = request.extension
    note = request.note
    isSandboxed = request.sandboxed
    self.loop = loop
    self.handlers = handlers
    self.groups = groups
    let started = try InstanceStart(
      request, bundle: bundle, channels: channels, tools: tools, groups: groups, loop: loop)
    processID = started.processID
    process = started.process
    control = started.control
    group = started.group
    bus = started.bus
    do throws(Errno) {
      try watch(started, output: makeOutput(request, journal))
      if let group, let limit = request.resources.memory, groups?.controllers.contains("memory") == true {
        memory = try MemoryWatch(group, limit: limit, loop: loop) { [unowned self] in
          self.handlers.memoryPressure(self)
        }
      }
    } catch {
      // Nobody will hear of it again.
      for watch in watches { watch.cancel() }
      try? group?.kill()
      bus?.end()
      started.process.send(signal: killSignal)
      _ = try? Poll.readable(started.process.rawValue, deadline: .now + .seconds(1))
      _ = try? started.process.process.reap()
      if group != nil { try? groups?.remove(instance: name) }
      throw LaunchFailure(stage: "descriptors", errno: error)
    }
  }

  private func makeOutput(_ request: LauncherInterface.Launch, _ journal: JournalSocket) -> InstanceOutput {
    let fields = [
      (name: "EXTENSION", value: LineReader.text(Array(request.extension.utf8))),
      (name: "INSTANCE", value: name),
      (name: "POINT", value: LineReader.text(Array(request.extensionPoint.utf8))),
    ]
    return InstanceOutput(fields: fields, journal: journal, loop: loop) { [unowned self] in
      self.handlers.output(self, $0, $1)
    }
  }

  private func watch(_ started: InstanceStart, output: InstanceOutput) throws(Errno) {
    self.output = output
    readers = [
      try PipeReader(started.report, loop: loop) { [unowned self] in
        self.readSandboxReport()
        for line in self.reportLines.read($0) { self.read(report: line) }
      },
      // Before bwrap lets its child go on, it writes eight times: each would wake this process.
      try PipeReader(started.sandboxReport, loop: nil) { [unowned self] in
        for line in self.sandboxLines.read($0) { self.read(sandboxReport: line) }
      },
      try PipeReader(started.errors, loop: loop) { output.read($0) },
    ]
    watches = [
      try loop.watch(started.process.rawValue, for: .readable) { [unowned self] _ in self.processEnded() }
    ]
  }

  // MARK: What it tells

  var isLiving: Bool { end == nil }
  /// The launcher's own children of it, of which it has not heard the end.
  var children: [Int32] { (processEnd == nil ? [processID] : []) + (bus.map { [$0.processID] } ?? []) }
  var executed: Bool { report.executed }

  /// For the reply to its launch and for the table: the control socket and a pidfd.
  func descriptors() throws(Errno) -> [SharedDescriptor] {
    guard let control, let process else { return [] }
    return [control, try process.duplicate()]
  }

  private func read(report line: String) {
    let before = report
    report.read(line)
    if report.executed, !before.executed {
      handlers.executed(self)
      sendTermination()
    }
    if report.stopped, !before.stopped { tellStopped() }
  }

  /// The program is the only child of extension-init, which knows its number in the sandbox alone. Who extension-init is,
  /// bwrap may tell later than this one tells that it has stopped the program.
  private var programID: Int32? {
    (isSandboxed ? innerID : processID).flatMap { Descendants.children(of: $0, isSingle: true).first }
  }

  private func tellStopped() {
    guard report.stopped, let program = programID else { return }
    handlers.stopped(self, program)
  }

  /// While it has nearly used up its memory.
  var memoryPressure: LauncherEventsInterface.MemoryPressure? {
    memory?.pressure.map { .init(instance: name, used: $0.used, limit: $0.limit) }
  }

  /// The level of Landlock that holds for the program, as extension-init told it.
  var landlock: Int? { report.landlock }

  /// The program, while it runs, and its directory in /proc.
  var program: (processID: Int32, directory: SharedDescriptor)? {
    guard isLiving, report.executed, let id = programID,
      let directory = try? File.open("/proc/\(id)", [.path, .directory]),
      // Otherwise it may be another process's by now.
      programID == id
    else { return nil }
    return (id, SharedDescriptor(directory))
  }

  /// bwrap says who its child is before it lets that go on, so it is there when the child says something.
  private func readSandboxReport() {
    guard isSandboxed, inner == nil else { return }
    readers[1].readOnce()
    // For a bwrap that does otherwise.
    if inner == nil { try? readers[1].wait(on: loop) }
  }

  /// One JSON object a line. extension-init is not our child: its pidfd counts where bwrap has it as its own after it was
  /// opened. Else its number may be another process's by now. Where bwrap has ended already nobody can tell, and nothing is
  /// sent to it then.
  private func read(sandboxReport line: String) {
    guard inner == nil, case .object(let object)? = try? JSON(parsing: Array(line.utf8)),
      case .integer(let number)? = object["child-pid"],
      let child = try? ProcessDescriptor(processID: Int32(clamping: number)),
      processEnd != nil
        || Descendants.children(of: processID, isSingle: true).contains(Int32(clamping: number))
    else { return }
    let inner = SharedProcess(child)
    self.inner = inner
    innerID = Int32(clamping: number)
    if let watch = try? loop.watch(
      inner.rawValue, for: .readable, handler: { [unowned self] _ in self.innerEnded() })
    {
      innerHasEnded = false
      watches.append(watch)
    }
    sendTermination()
    tellStopped()
  }

  // MARK: What is done to it

  /// SIGTERM to the program. Before it runs, its first process would not hear it: then it waits.
  func terminate() {
    wantsTermination = true
    sendTermination()
  }

  private func sendTermination() {
    guard wantsTermination, report.executed, processEnd == nil, let target = isSandboxed ? inner : process
    else {
      return
    }
    wantsTermination = false
    target.send(signal: Signals.terminate)
  }

  /// Ends every process at once.
  func kill() {
    guard isLiving else { return }
    try? group?.kill()
    guard processEnd == nil else { return }
    process?.send(signal: killSignal)
    guard killSignal != Signals.kill else { return }
    loop.schedule(after: .seconds(1)) { [weak self] in self?.process?.send(signal: Signals.kill) }
  }

  /// bwrap takes its sandbox along, and a control group everything. Where there is neither, extension-init kills what it
  /// has started, then ends: nobody else could.
  private var killSignal: CInt { isSandboxed || group != nil ? Signals.kill : Signals.last }

  // MARK: Its end

  private func processEnded() {
    guard processEnd == nil, let end = try? process?.process.reap() else { return }
    processEnd = end
    deadline = .now + Self.patience
    watches.removeFirst().cancel()
    // What bwrap said last may be its child.
    readers[1].finish()
    try? group?.kill()
    finishWhenEmpty(retry: .milliseconds(1))
  }

  private func innerEnded() {
    innerHasEnded = true
    watches.popLast()?.cancel()
    if processEnd != nil { finishWhenEmpty(retry: .milliseconds(1)) }
  }

  /// The last process may need a moment to go, in which no event comes from its group.
  private func finishWhenEmpty(retry: Duration) {
    guard isLiving, let processEnd else { return }
    // First, since what is left may be what is waited for.
    let leavesOrphans = handlers.leavesOrphans()
    if MonotonicTime.now < deadline, leavesOrphans || !innerHasEnded || group?.isPopulated == true {
      loop.schedule(after: retry) { [weak self] in
        self?.finishWhenEmpty(retry: min(retry * 2, .milliseconds(100)))
      }
      return
    }
    finish(processEnd)
  }

  private func finish(_ processEnd: ProcessDescriptor.End) {
    for reader in readers { reader.finish() }
    for watch in watches { watch.cancel() }
    output?.finish()
    bus?.end()
    let events = group?.read("memory.events").map(GroupValues.init)
    end = .init(
      instance: name, note: note, executed: report.executed, exitStatus: report.exitStatus,
      signal: report.signal,
      coreDumped: report.coreDumped, failedStage: report.failedStage ?? (report.executed ? nil : "sandbox"),
      errno: report.errno, sandboxStatus: processEnd.shellStatus, outOfMemoryKills: events?["oom_kill"] ?? 0,
      memoryPeak: group?.read("memory.peak").flatMap { Int($0) },
      memoryLimit: group?.limit("memory.max"), standardError: output?.lastLines ?? [])
    memory?.cancel()
    memory = nil
    if group != nil { try? groups?.remove(instance: name) }
    readers = []
    watches = []
    output = nil
    group = nil
    bus = nil
    control = nil
    process = nil
    inner = nil
    handlers.ended(self)
  }

  /// The last word, with the present note.
  var ended: LauncherEventsInterface.Ended? {
    guard var end else { return nil }
    end.note = note
    return end
  }
}

extension ProcessDescriptor.End {
  /// As a shell has it: the status, or 128 and the signal.
  fileprivate var shellStatus: Int {
    switch self {
    case .exited(let status): Int(status)
    case .signaled(let signal, _): 128 + Int(signal)
    }
  }
}
