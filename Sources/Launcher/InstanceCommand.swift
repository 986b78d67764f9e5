internal import LauncherProtocol
internal import LinuxSystem

/// What is run for an instance: extension-init, in a sandbox of bubblewrap or by itself.
struct InstanceCommand {
  /// The descriptors that the instance's side of the launch gets.
  struct Ends {
    let control: SharedDescriptor
    let errors: SharedDescriptor
    let report: SharedDescriptor
    let sandboxReport: SharedDescriptor
    let bundle: SharedDescriptor?
    let bus: SessionBusProxy?
  }

  private static let reportNumber = 4
  /// Where the instance waits for its part of the session bus.
  private static let gateNumber = 5
  /// In the sandbox's root, which is read-only when the mounts are made.
  private static let initInside = "/.extension-init"
  /// Bytes of a file of /etc that is copied, one page: the copy belongs to each instance.
  private static let smallFile = 4096

  let spawn: Spawn

  init(
    _ request: LauncherInterface.Launch, tools: Tools, ends: Ends, group: SharedDescriptor?,
    controllers: Set<String>
  ) throws(LaunchFailure) {
    let standard =
      [tools.null, ends.errors, ends.errors, ends.control, ends.report] + (ends.bus.map { [$0.gate] } ?? [])
    let program = ["--", request.program] + request.arguments
    let limits =
      Self.limits(request, tools, controllers) + (request.stopped == true ? ["--stop", "program"] : [])
    if request.sandboxed {
      // bwrap sets PWD itself.
      let variables = request.environment.contains { $0.hasPrefix("PWD=") } ? [] : ["--unset", "PWD"]
      let (options, further) = try Self.sandbox(request, tools, ends, first: standard.count)
      let gate = ends.bus == nil ? [] : ["--wait", "\(Self.gateNumber)"]
      let sandbox =
        ["--args", "\(standard.count)", Self.initInside, "\(Self.reportNumber)"] + variables + limits + gate
        + Self.landlock(request) + program
      spawn = Spawn(
        path: tools.bubblewrap, arguments: sandbox, environment: [],
        descriptors: standard + [options] + further, controlGroup: group)
    } else {
      let directory = ends.bundle == nil ? request.directory : "/proc/self/fd/\(standard.count + 1)"
      spawn = Spawn(
        path: "/proc/self/fd/\(standard.count)",
        arguments: [
          "\(Self.reportNumber)", "--parent", "\(CurrentProcess.processID)", "--chdir", directory,
        ]
          + limits + program,
        environment: request.environment,
        descriptors: standard + [tools.initProgram] + (ends.bundle.map { [$0] } ?? []),
        controlGroup: group)
    }
  }

  /// What a control group holds for all is not held for each once more.
  private static func limits(
    _ request: LauncherInterface.Launch, _ tools: Tools, _ controllers: Set<String>
  ) -> [String] {
    let resources = request.resources
    var options = resources.openFiles.map { ["--nofile", "\($0)"] } ?? []
    options += ["--soft-nofile", "\(min(resources.openFiles ?? .max, tools.softDescriptorLimit))"]
    if let memory = resources.memory, !controllers.contains("memory") { options += ["--data", "\(memory)"] }
    if let processes = resources.processes, !controllers.contains("pids"), request.sandboxed,
      tools.limitsProcessesOfSandboxes
    {
      options += ["--nproc", "\(processes + LauncherPacket.insideProcesses)"]
    }
    if let size = resources.fileSize { options += ["--fsize", "\(size)"] }
    if let size = resources.coreSize { options += ["--core", "\(size)"] }
    return options
  }

  /// The kernel lets root's own user number write these without any capability, and bwrap covers only directories that
  /// can be written themselves. Nobody else has a right to them.
  private static func settings(below processes: String) -> [String] {
    settingsOfKernel.flatMap { ["--ro-bind", "/proc/\($0)", "\(processes)/\($0)"] }
  }

  private static let settingsOfKernel: [String] = {
    guard CurrentProcess.userID == 0 else { return [] }
    return ["acpi", "bus", "fs", "irq", "scsi", "sys", "sysrq-trigger"].filter { File.exists("/proc/\($0)") }
  }()

  private static func temporary(_ destination: String, size: Int?) -> [String] {
    // bwrap takes 0 for none.
    (size.map { ["--size", "\(max(1, $0))"] } ?? []) + ["--tmpfs", destination]
  }

  /// The mounts as rules of Landlock: extension-init sets them up inside. They would forbid a sandbox in the sandbox.
  private static func landlock(_ request: LauncherInterface.Launch) -> [String] {
    let network = request.network.map { ["--network", $0.rawValue] } ?? []
    if request.nestedSandbox == true { return network }
    return network
      + request.mounts.flatMap { mount -> [String] in
        switch mount.kind {
        case .writable, .temporary: ["--writable", mount.destination]
        case .processes, .device: ["--devices", mount.destination]
        case .devices: ["--devices", mount.destination, "--writable", mount.destination + "/shm"]
        case .readOnly, .bundle, .empty, .link: []
        }
      }
  }

  /// A small file of the system's configuration, to be copied instead of mounted. A mount takes 140 us, a copy 10, and
  /// both are the file of the start: such files are changed by putting another one in their place. What is not below
  /// /etc is never opened here: it may be on a file system that hangs.
  private static func smallFile(_ mount: LauncherInterface.Mount) -> SharedDescriptor? {
    guard mount.kind == .readOnly, mount.source == nil, mount.destination.hasPrefix("/etc/"),
      let file = try? File.open(mount.destination, [.readOnly, .nonBlocking]),
      let status = try? FileStatus(of: file.rawValue), status.kind == .regular, status.size <= smallFile,
      // Everybody may read it here too.
      status.mode & 0o444 == 0o444
    else { return nil }
    return SharedDescriptor(file)
  }

  /// bwrap's options as a file, where no other process can read the environment, and the descriptors after it.
  private static func sandbox(
    _ request: LauncherInterface.Launch, _ tools: Tools, _ ends: Ends, first: Int
  ) throws(LaunchFailure) -> (SharedDescriptor, [SharedDescriptor]) {
    var further = [ends.sandboxReport]
    var options = [
      "--unshare-all", "--die-with-parent", "--as-pid-1", "--new-session", "--cap-drop", "ALL",
      "--json-status-fd", "\(first + 1)", "--clearenv",
    ]
    if request.network != nil { options.append("--share-net") }
    for entry in request.environment {
      guard let sign = entry.firstIndex(of: "="), sign != entry.startIndex else { throw .invalid }
      options += ["--setenv", String(entry[..<sign]), String(entry[entry.index(after: sign)...])]
    }
    func bind(_ descriptor: SharedDescriptor, _ destination: String) {
      further.append(descriptor)
      let number = first + further.count
      options +=
        tools.bindsDescriptors
        ? ["--ro-bind-fd", "\(number)", destination] : ["--ro-bind", "/proc/self/fd/\(number)", destination]
    }
    var sealed: [String] = []
    for mount in request.mounts {
      if let file = smallFile(mount) {
        further.append(file)
        options += ["--perms", "0444", "--file", "\(first + further.count)", mount.destination]
        continue
      }
      switch (mount.kind, mount.source) {
      case (.readOnly, let source): options += ["--ro-bind", source ?? mount.destination, mount.destination]
      case (.writable, let source): options += ["--bind", source ?? mount.destination, mount.destination]
      case (.device, let source): options += ["--dev-bind", source ?? mount.destination, mount.destination]
      case (.link, let source?): options += ["--symlink", source, mount.destination]
      case (.temporary, _): options += temporary(mount.destination, size: mount.size)
      case (.empty, _):
        options += temporary(mount.destination, size: mount.size)
        sealed.append(mount.destination)
      case (.processes, _): options += ["--proc", mount.destination] + settings(below: mount.destination)
      case (.devices, _):
        options += ["--dev", mount.destination] + temporary(mount.destination + "/shm", size: mount.size)
        sealed.append(mount.destination)
      case (.bundle, _):
        guard let bundle = ends.bundle else { throw .invalid }
        bind(bundle, mount.destination)
      case (.link, nil): throw .invalid
      }
    }
    if let bus = ends.bus { options += ["--ro-bind", bus.directory, SessionBus.directory] }
    do throws(Errno) {
      let profile = SystemCallFilter.Profile(
        nestedSandbox: request.nestedSandbox ?? false, stopped: request.stopped ?? false)
      further.append(try tools.filters.filter(for: profile).open())
      options += ["--seccomp", "\(first + further.count)"]
    } catch {
      // Nothing runs without it.
      throw LaunchFailure(stage: "systemCalls", errno: error)
    }
    // After the mounts, which may lie above it. As a copy: an update may have taken its file away since.
    do throws(Errno) {
      let program = try File.open("/proc/self/fd/\(tools.initProgram.rawValue)", .readOnly)
      further.append(SharedDescriptor(program))
    } catch {
      throw LaunchFailure(stage: "sandbox", errno: error)
    }
    options += ["--perms", "0555", "--file", "\(first + further.count)", initInside]
    // All mount points have been made in them by now.
    options += sealed.reversed().flatMap { ["--remount-ro", $0] }
    options += ["--chdir", request.directory]
    // The list ends each option with a NUL: none may hold one.
    guard !options.contains(where: { $0.utf8.contains(0) }) else { throw .invalid }
    do throws(Errno) {
      let text = options.reduce(into: [UInt8]()) {
        $0 += $1.utf8
        $0.append(0)
      }
      return (SharedDescriptor(try MemoryFile.make("bwrap-options", holding: text)), further)
    } catch {
      throw LaunchFailure(stage: "descriptors", errno: error)
    }
  }
}
