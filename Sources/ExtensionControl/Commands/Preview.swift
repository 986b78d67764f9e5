internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let preview = Command(
    name: "preview", arguments: ["ID|PATH"], summary: "show a scene of an extension without its host",
    details:
      "The extension is one that is installed, or a bundle that you work on, as with 'dev run'. "
      + "It has a window, and the preview ends with it. With --headless there is no screen: a "
      + "script says what the person does and what is waited for, and pictures are written. A "
      + "script has a step a line: wait shown, wait hidden, wait ended, wait text TEXT (the "
      + "extension has printed it), wait popup, wait no-popup, wait size W H, move X Y, click X Y "
      + "[left|right|middle], scroll X Y DOWN, focus, unfocus, type TEXT, key NUMBER, resize W H, "
      + "snapshot FILE, close. Exit status 0 when all of it was done.",
    options: Use.options + [
      .init(name: "headless", help: "without a screen"),
      .init(
        name: "size", value: "WxH",
        help: "how large the scene is; unless given what the extension takes, or 640x400 in a window"),
      .init(
        name: "scale", value: "N",
        help: "pixels of the picture for one of the scene; 1 unless given; with --headless"),
      .init(
        name: "script", value: "FILE",
        help: "the steps; 'wait shown' unless given; with --headless"),
      .init(
        name: "snapshot", value: "FILE",
        help: "write a picture (PNG) after the last step; with --headless"),
    ]
  ) { invocation in
    let others = ["scale", "script", "snapshot"].filter { invocation.values[$0] != nil }
    if !invocation.has("headless"), let name = others.first {
      throw ControlError(.usage, "--\(name) is for a preview without a screen: give --headless too")
    }
    return try Preview(invocation).run()
  }
}

/// A host that shows one scene, by the program that composes it.
private struct Preview {
  private let invocation: Invocation
  private let signals: SharedDescriptor
  private let subject: SimulatedExtension
  private let use: Use

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    // Before anything is started, so that Ctrl-C ends it in order.
    signals = try Signals.descriptor(for: [Signals.interrupt, Signals.terminate, Signals.hangUp])
    subject = try SimulatedExtension(invocation.arguments[0], invocation)
    use = try Use(
      Use.ask(
        invocation, extension: subject.identifier, scene: invocation.values["scene"], connect: true,
        display: true))
  }

  func run() throws -> ExitStatus {
    guard let display = use.display else {
      throw ControlError(.failed, "another host of this name shows \(subject.identifier) already")
    }
    let input = try Pipe.make()
    let process = try start(display, input)
    var isInterrupted = false
    while true {
      let ready = try Poll.wait([
        process.descriptor.rawValue, subject.output.socket.rawValue, signals.rawValue,
      ])
      if ready[1] { input.write(try subject.showOutput()) }
      if ready[2] {
        isInterrupted = true
        try? process.send(signal: Signals.terminate)
      }
      if ready[0] { break }
    }
    guard case .exited(let status)? = try process.reap() else {
      // A window is to be looked at as long as one likes, a script to be done.
      if isInterrupted { return invocation.has("headless") ? .failed : .success }
      throw ControlError(.internalError, "the program that shows scenes was killed")
    }
    return status == 0 ? .success : status == 64 ? .usage : status == 69 ? .unavailable : .failed
  }

  private func start(_ display: SharedDescriptor, _ input: Pipe) throws -> ProcessDescriptor {
    let name = invocation.has("headless") ? "extensiond-preview" : "extensiond-preview-window"
    guard let program = BrokerStarter.program(name) else {
      throw ControlError(.unavailable, "\(name) is not installed; it is beside extensiond")
    }
    var arguments = use.isUnmodified ? [] : ["--token", use.activation]
    for name in ["size", "scale", "script", "snapshot"] {
      if let value = invocation.values[name] { arguments += ["--" + name, value] }
    }
    let error = SharedDescriptor(try File.open("/proc/self/fd/2", .writeOnly))
    do throws(Spawn.Failure) {
      return try Spawn(
        path: program, arguments: arguments, environment: CurrentProcess.allEnvironment,
        descriptors: [input.reading, error, error, display]
      ).run().takeProcess()
    } catch {
      throw ControlError(.failed, "\(program) cannot be started: \(error)")
    }
  }
}

extension Pipe {
  /// Lines for a program that may not read them, or be gone.
  fileprivate func write(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    try? writing.descriptor.setNonBlocking()
    try? writing.descriptor.write(all: Array((lines.joined(separator: "\n") + "\n").utf8))
  }
}
