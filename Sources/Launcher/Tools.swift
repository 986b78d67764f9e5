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
  /// Why no sandbox can be made; nil where one was made for a try.
  let sandboxFault: String?
  /// The soft limit of open files for programs: that of a login session. A service's limit may be larger, and programs
  /// that use select(2) would not survive it.
  let softDescriptorLimit = min(CurrentProcess.descriptorLimit, 1024)
  let limitsProcessesOfSandboxes = CurrentProcess.limitsProcessesOfSandboxes

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
    // One start answers both: a sandbox is made if a program ends well in it, and that one says what it can do. It is the
    // only program that is there for certain. As the first process, so that bwrap waits for it: nothing may be left in this
    // control group.
    let tried = Self.output(
      of: bubblewrap,
      ["--unshare-all", "--as-pid-1", "--die-with-parent", "--ro-bind", "/", "/", bubblewrap, "--help"],
      null: null)
    bindsDescriptors = tried.text.contains("--ro-bind-fd")
    // What took too long or was killed on a busy machine says nothing: an extension runs without a sandbox only where none can be made.
    sandboxFault =
      tried.works == false
      ? "\(bubblewrap) makes no sandbox here" + (tried.text.isEmpty ? "" : ": \(tried.text.prefix(200))")
      : nil
  }

  /// What a program prints, and whether it ended well; nil where it could not say: it did not end in time, was killed, or
  /// this system had nothing left to start it with. A pipe holds all of it, so it can end before anybody reads.
  private static func output(
    of program: String, _ arguments: [String], null: SharedDescriptor
  ) -> (text: String, works: Bool?) {
    guard let pipe = try? Pipe.make() else { return ("", nil) }
    let command = Spawn(
      path: program, arguments: arguments, environment: [], descriptors: [null, pipe.writing, pipe.writing])
    do throws(Spawn.Failure) {
      let end = try command.runToEnd(deadline: .now + .seconds(10))
      let text = String(decoding: pipe.written(upTo: 1 << 16), as: UTF8.self)
      let works: Bool? = if case .exited(let status) = end { status == 0 } else { nil }
      return (text.split(separator: "\n").joined(separator: " "), works)
    } catch {
      let isThePrograms = [.noEntry, .permission, .notDirectory].contains(error.errno)
      return ("\(error.errno)", isThePrograms ? false : nil)
    }
  }
}
