internal import LinuxSystem

/// The programs that start an instance, looked at once.
struct Tools {
  let bubblewrap: String
  /// bwrap takes directories by descriptor (Debian 12's does, 0.8 itself does not).
  let bindsDescriptors: Bool
  /// extension-init, as a handle: what is started is what was found, whatever happens at its path later.
  let initProgram: SharedDescriptor
  let null: SharedDescriptor
  /// xdg-dbus-proxy, and where its sockets are. It is looked for when it is needed: few extensions ask for it.
  let busProxy: String
  let busDirectory: String
  let filters = SystemCallFilters()
  /// The soft limit of open files for programs: that of a login session. A service's limit may be larger, and programs
  /// that use select(2) would not survive it.
  let softDescriptorLimit = min(CurrentProcess.descriptorLimit, 1024)

  init(settings: Settings) throws(StartFailure) {
    bubblewrap = settings.bubblewrap
    busProxy = settings.busProxy
    busDirectory = settings.directory + "/bus"
    do throws(Errno) {
      initProgram = SharedDescriptor(try File.open(settings.initProgram, [.path]))
    } catch {
      throw StartFailure(
        .configuration, "cannot find \(settings.initProgram): \(error). Install it, or set EXTENSIOND_INIT.")
    }
    do throws(Errno) {
      null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    } catch {
      throw StartFailure(.system, "cannot open /dev/null: \(error)")
    }
    bindsDescriptors = Self.help(of: bubblewrap, null: null).contains("--ro-bind-fd")
  }

  /// What `--help` prints; empty where the program does not run.
  private static func help(of program: String, null: SharedDescriptor) -> String {
    guard let pipe = try? Pipe.make() else { return "" }
    let command = Spawn(
      path: program, arguments: ["--help"], environment: [], descriptors: [null, pipe.writing, pipe.writing])
    guard let child = try? command.run() else { return "" }
    // A pipe holds all of it, so the program can end before anybody reads.
    let ended = try? Poll.readable(child.process.descriptor.rawValue, deadline: .now + .seconds(2))
    if ended != true {
      try? child.process.send(signal: Signals.kill)
      _ = try? Poll.readable(child.process.descriptor.rawValue)
    }
    _ = try? child.process.reap()
    try? pipe.reading.descriptor.setNonBlocking()
    let text = try? pipe.reading.descriptor.read(upTo: 1 << 16)
    return String(decoding: text ?? [], as: UTF8.self)
  }
}
