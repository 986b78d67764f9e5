internal import LauncherProtocol
internal import LinuxSystem

/// A launcher of its own for one test, in a runtime directory of its own. Gone with the value, whatever happened.
final class TestLauncher {
  static let deadline: Duration = .seconds(120)

  let directory: String
  /// What was started: above the launcher, and ends with it. The launcher itself, where it has a control group.
  let first: SharedProcess
  let process: SharedProcess
  let processID: Int32
  let group: ControlGroup?

  /// `environment`: further variables.
  init(environment: [String] = [], ownGroup: Bool = false) throws {
    directory = "/tmp/extensiond-launcher-test-\(UInt64.random(in: 0 ... .max))"
    try File.makeDirectory(directory)
    group = ownGroup ? try Self.makeGroup() : nil
    let build = try Self.buildDirectory()
    let ready = try Pipe.make()
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    let errors = SharedDescriptor(try FileDescriptor.standardError())
    let variables = [
      "XDG_RUNTIME_DIR=\(directory)", "EXTENSIOND_INIT=\(build)/extension-init", "SWIFT_BACKTRACE=enable=no",
    ]
    var command = ["\(build)/extensiond-launcher", "--ready-fd", "3"]
    if !ownGroup { command = ["\(build)/extension-init", "--guard"] + command }
    let child = try Spawn(
      path: command[0], arguments: Array(command.dropFirst()), environment: variables + environment,
      descriptors: [null, errors, errors, ready.writing], controlGroup: group?.directory
    ).run()
    let firstID = child.processID
    first = SharedProcess(child)
    guard try Poll.readable(ready.reading.rawValue, deadline: .now + Self.deadline),
      try ready.reading.descriptor.read(upTo: 1) == [1],
      let launcher = ownGroup ? firstID : try Self.children(of: firstID).first
    else { throw TestFailure("the launcher is not ready") }
    processID = launcher
    process = ownGroup ? first : try SharedProcess(processID: launcher)
  }

  deinit {
    process.send(signal: Signals.kill)
    first.send(signal: Signals.terminate)
    _ = try? waitForEnd()
    if let group { Self.remove(group) }
    let null = try? SharedDescriptor(File.open("/dev/null", .readWrite))
    let command = Spawn(
      path: "/bin/rm", arguments: ["-rf", directory], environment: [],
      descriptors: [null, null, null].compactMap { $0 })
    if let child = try? command.run() {
      _ = try? Poll.readable(child.process.descriptor.rawValue)
      _ = try? child.process.reap()
    }
  }

  func connect() throws -> TestBroker {
    try TestBroker(path: "\(directory)/extensiond/launcher/io.extensiond.Launcher")
  }

  /// A broker that has said Hello. The launcher may not have seen yet that the one before is gone, and refuses it then.
  func greet(_ generation: String = "g1") throws -> (broker: TestBroker, reply: LauncherInterface.Hello.Reply)
  {
    let deadline = MonotonicTime.now + Self.deadline
    while true {
      let broker = try connect()
      do {
        return (broker, try broker.hello(generation))
      } catch {
        guard MonotonicTime.now < deadline else { throw error }
        _ = try? Poll.readable(broker.socket.rawValue, deadline: .now + .milliseconds(5))
      }
    }
  }

  /// How it ended.
  func waitForEnd() throws -> ProcessDescriptor.End? {
    guard try Poll.readable(first.rawValue, deadline: .now + Self.deadline) else { return nil }
    return try first.process.reap()
  }

  var openDescriptors: Int {
    get throws { try Self.count("/proc/\(processID)/fd") }
  }

  var children: [Int32] {
    get throws { try Self.children(of: processID) }
  }

  private static func children(of process: Int32) throws -> [Int32] {
    let text = try File.read("/proc/\(process)/task/\(process)/children", limit: 4096)
    return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
  }

  private static func count(_ directory: String) throws -> Int {
    (0..<1024).count { (try? File.readLink("\(directory)/\($0)")) != nil }
  }

  private static func buildDirectory() throws -> String {
    let places = [
      CurrentProcess.environment("EXTENSIOND_BUILD"), CurrentProcess.programDirectory, ".build/debug",
    ]
    guard let found = places.compactMap({ $0 }).first(where: { File.exists("\($0)/extensiond-launcher") })
    else {
      throw TestFailure(
        "no extensiond-launcher is built; set EXTENSIOND_BUILD to the directory that holds it")
    }
    return found
  }

  // MARK: Control groups

  static let canMakeGroups: Bool = {
    guard let group = try? makeGroup() else { return false }
    remove(group)
    return true
  }()

  private static func makeGroup() throws -> ControlGroup {
    guard let root = ControlGroup.root else { throw TestFailure("no control groups") }
    return try ControlGroup(path: root).makeChild("extensiond-test-\(UInt32.random(in: 0 ... .max))")
  }

  private static func remove(_ group: ControlGroup) {
    try? group.kill()
    try? group.removeChild("self")
    try? File.removeDirectory(group.path)
  }
}

struct TestFailure: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
