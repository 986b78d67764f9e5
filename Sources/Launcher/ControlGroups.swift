internal import LauncherProtocol
internal import LinuxSystem

/// The part of the control group tree that was delegated to the launcher: one group an instance, and `self`.
struct ControlGroups {
  static let serviceName = "extensiond-launcher.service"

  private let own: ControlGroup
  /// What can be limited and measured in the groups of instances.
  let controllers: Set<String>

  /// nil where nothing was delegated: the group is the root's, or others are in it too.
  init?(path: String) {
    guard path != "/", let root = ControlGroup.root, let own = try? ControlGroup(path: root + path),
      own.read("cgroup.procs") == "\(CurrentProcess.processID)"
    else { return nil }
    do throws(Errno) {
      // A group with processes in it cannot have controllers for its children.
      do throws(Errno) { try File.makeDirectory("self", in: own.directory.rawValue) } catch .exists {}
      try own.write("\(CurrentProcess.processID)", to: "self/cgroup.procs")
    } catch {
      return nil
    }
    for name in ["memory", "pids", "cpu"] { try? own.write("+\(name)", to: "cgroup.subtree_control") }
    self.own = own
    controllers = Set(own.read("cgroup.subtree_control")?.split(separator: " ").map(String.init) ?? [])
  }

  func make(instance: String) throws(Errno) -> ControlGroup {
    do throws(Errno) {
      return try own.makeChild("i-\(instance)")
    } catch .exists {
      // Left by a launcher that was killed. Its processes are dead; an id is never used twice by one broker.
      try remove(instance: instance)
      return try own.makeChild("i-\(instance)")
    }
  }

  /// Before a process is in it. What these controllers cannot hold is left to limits of each process.
  func limit(_ group: ControlGroup, to request: LauncherInterface.Launch) throws(Errno) {
    let resources = request.resources
    if controllers.contains("memory") {
      // An instance without some of its processes is of no use to anybody, and would not say why.
      try group.write("1", to: "memory.oom.group")
      if let memory = resources.memory {
        // Else the limit would not be one: what is over it would be swapped out. Absent in kernels without swap.
        do throws(Errno) { try group.write("0", to: "memory.swap.max") } catch .noEntry {}
        try group.write("\(memory)", to: "memory.max")
      }
    }
    if controllers.contains("pids"), let processes = resources.processes {
      try group.write("\(processes + Self.ownProcesses(request))", to: "pids.max")
    }
    if controllers.contains("cpu"), let weight = resources.cpuWeight {
      try group.write("\(weight)", to: "cpu.weight")
    }
  }

  /// Those in the group that are not the program's: bwrap and extension-init, and the proxy of the bus with its threads.
  private static func ownProcesses(_ request: LauncherInterface.Launch) -> Int {
    guard request.sandboxed else { return 1 }
    return request.sessionBus?.isEmpty == false ? 10 : 2
  }

  func remove(instance: String) throws(Errno) { try own.removeChild("i-\(instance)") }
}
