internal import LinuxSystem

/// Starts a broker that outlives this command.
enum BrokerStarter {
  static var program: String? { program("extensiond") }

  /// A program of this system: beside this one, where packages put it, or in PATH.
  static func program(_ name: String) -> String? {
    let own = CurrentProcess.programDirectory.map { [$0, $0 + "/../libexec"] } ?? []
    let search = CurrentProcess.environment("PATH") ?? ""
    let directories = own + ["/usr/libexec"] + search.split(separator: ":").map(String.init)
    return directories.map { "\($0)/\(name)" }.first {
      (try? FileStatus(at: $0, followLinks: true))?.kind == .regular
    }
  }

  /// Returns when it takes connections.
  static func start(_ program: String) throws(ControlError) {
    let socket = try BrokerLocation.path(.admin)
    let directory = try Path.stateHome() + "/extensiond"
    let log = directory + "/extensiond.log"
    do {
      try File.makeDirectories(directory)
      let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
      let output = SharedDescriptor(try File.open(log, [.writeOnly, .create, .append]))
      // Spawn gives it a session of its own, so that it does not end with this terminal.
      let child = try Spawn(
        path: program, arguments: [], environment: CurrentProcess.allEnvironment,
        descriptors: [null, output, output]
      ).run()
      let process = child.takeProcess()
      let deadline = MonotonicTime.now + .seconds(30)
      while MonotonicTime.now < deadline {
        let hasEnded = try Poll.readable(process.descriptor.rawValue, deadline: .now + .milliseconds(20))
        // Also after its end: another one may have been faster.
        if (try? Socket.connect(to: socket)) != nil { return }
        if hasEnded {
          throw ControlError(.unavailable, "\(program) ended as soon as it was started; see \(log)")
        }
      }
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(.unavailable, "cannot start \(program): \(error)")
    }
    throw ControlError(.timedOut, "\(program) was started and takes no connections after 30 s; see \(log)")
  }
}
