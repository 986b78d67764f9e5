internal import LinuxSystem

/// The programs that start an instance, looked at once.
struct Tools {
  let bubblewrap: String
  /// bwrap takes directories by descriptor (Debian 12's does, 0.8 itself does not).
  let bindsDescriptors: Bool
  /// extension-init, as a handle: what is started is what was found, whatever happens at its path later.
  let initProgram: SharedDescriptor
  let null: SharedDescriptor
  /// The soft limit of open files for programs: that of a login session. A service's limit may be larger, and programs
  /// that use select(2) would not survive it.
  let softDescriptorLimit = min(CurrentProcess.descriptorLimit, 1024)

  init(settings: Settings) throws(StartFailure) {
    bubblewrap = settings.bubblewrap
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
    return output(of: command, pipe.reading)
  }

  private static func output(of command: consuming Spawn, _ reading: SharedDescriptor) -> String {
    guard let child = try? command.run() else { return "" }
    // The last writing end of this process.
    command.descriptors = []
    let deadline = MonotonicTime.now + .seconds(2)
    var bytes: [UInt8] = []
    while (try? Poll.readable(reading.rawValue, deadline: deadline)) == true, bytes.count < 1 << 16,
      let part = try? reading.descriptor.read(upTo: 4096), !part.isEmpty
    {
      bytes += part
    }
    if (try? Poll.readable(child.process.descriptor.rawValue, deadline: deadline)) != true {
      try? child.process.send(signal: Signals.kill)
      _ = try? Poll.readable(child.process.descriptor.rawValue)
    }
    _ = try? child.process.reap()
    return String(decoding: bytes, as: UTF8.self)
  }
}
