import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// What the broker and its launcher add to a sandbox that somebody else would build in the same way.

extension Bench {
  func activationSandboxed() throws -> Row {
    var row = Row(id: "activation.sandboxed")
    row.goals = [.floor(1.1)]
    let admin = try admin()
    let program = root + "/Bench.appex/main"
    let launcher = try launcher()
    for _ in 0..<60 {
      row.peers["bare program", default: []].append(Self.spawn(program, [program], Self.startMessage))
      // bwrap reads it from where the descriptor stands, so each one is opened anew.
      let filter = SharedDescriptor(try File.open(filterPath(of: launcher), .readOnly))
      row.floor.append(Self.spawn(byHand[0], byHand, Self.startMessage, extra: filter.rawValue))
      let host = try host()
      var answer: VarlinkClient.Answer<BrokerInterface.Activate.Reply>?
      let ours = try Self.time {
        answer = try host.call(BrokerInterface.Activate(extension: Self.identifier), timeout: .seconds(60))
      }
      row.samples.append(ours)
      // Letting go of the lease ends it.
      withExtendedLifetime(answer) {}
      answer = nil
      try waitUntilIdle(admin)
    }
    row.note = "floor: bwrap by hand, with the same mounts and the launcher's own filter of system calls"
    return row
  }

  /// The launcher's filter: the memory file of that name.
  func filterPath(of launcher: Int32) throws -> String {
    let directory = SharedDescriptor(try File.open("/proc/\(launcher)/fd", .directory))
    for entry in try DirectoryReader.entries(of: directory.rawValue) {
      guard let target = try? File.readLink(entry.name, in: directory.rawValue),
        target.hasPrefix("/memfd:system-calls")
      else { continue }
      return "/proc/\(launcher)/fd/\(entry.name)"
    }
    throw Failure(description: "the launcher has no filter of system calls")
  }

  /// The default profile, as one would type it. The filter is descriptor 4.
  var byHand: [String] {
    var command = [
      "/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--as-pid-1", "--new-session", "--cap-drop",
      "ALL", "--clearenv", "--tmpfs", "/", "--ro-bind", "/usr", "/usr",
    ]
    for name in ["bin", "lib", "lib32", "lib64", "sbin"] {
      if let target = try? File.readLink("/\(name)") { command += ["--symlink", target, "/\(name)"] }
    }
    let configuration = [
      "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
      "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/ssl/certs", "/etc/timezone",
    ]
    for path in configuration { command += ["--ro-bind-try", path, path] }
    command += ["--proc", "/proc"]
    // The launcher's mounts for root.
    for name in ["acpi", "bus", "fs", "irq", "scsi", "sys", "sysrq-trigger"]
    where CurrentProcess.userID == 0 && File.exists("/proc/\(name)") {
      command += ["--ro-bind", "/proc/\(name)", "/proc/\(name)"]
    }
    return command + [
      "--dev", "/dev", "--size", "268435456", "--tmpfs", "/dev/shm",
      "--size", "536870912", "--tmpfs", "/tmp", "--size", "67108864", "--tmpfs", "/run",
      "--bind", place + "/home", "/home/extension", "--ro-bind", root + "/Bench.appex", "/extension",
      "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/home/extension", "--seccomp", "4",
      "/extension/main",
    ]
  }

  /// `extra`: becomes descriptor 4 of the program.
  static func spawn(_ path: String, _ arguments: [String], _ message: String, extra: CInt = -1) -> Double {
    unsafe ArgumentVector.with(arguments) {
      unsafe microseconds(cbench_spawn_once(path, $0, message, extra))
    }
  }
}
