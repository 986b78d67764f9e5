internal import LauncherProtocol
internal import LinuxSystem
internal import Testing
internal import Varlink

/// The launcher and its broker: leases, the table, deaths on either side.
@Suite(.serialized) struct LauncherTests {
  private func connected(_ launcher: TestLauncher, _ generation: String = "g1") throws -> TestBroker {
    try launcher.greet(generation).broker
  }

  @Test func `A lease ends once, when the host closes it`() throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    try broker.shell("sleep 1000")
    var host: SharedDescriptor? = try broker.lease("a1")
    // Bytes have no place in a lease: they do nothing.
    if let host { _ = try Socket.send([1, 2, 3], to: host.rawValue) }
    #expect(try broker.call { LauncherInterface.Table(request: $0) }.reply.rows == 2)
    let before: LauncherEventsInterface.LeaseRow = try broker.next { event, _ in
      if case .leaseRow(let row) = event { row } else { nil }
    }
    #expect(before.ended == nil)
    #expect(before.note == "lease note")
    host = nil
    let ended: String = try broker.next { event, _ in
      if case .leaseEnded(let event) = event { event.activation } else { nil }
    }
    #expect(ended == "a1")
    try broker.call { LauncherInterface.Table(request: $0) }
    let after: LauncherEventsInterface.LeaseRow = try broker.next { event, _ in
      if case .leaseRow(let row) = event { row } else { nil }
    }
    #expect(after.ended == .host)
    try broker.call { LauncherInterface.EndLease(request: $0, activation: "a1") }
    #expect(try broker.call { LauncherInterface.Table(request: $0) }.reply.rows == 1)
  }

  @Test func `An instance's end ends its leases`() throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    let launched = try broker.shell("read line <&3; exit 4")
    let host = try broker.lease("a1")
    _ = try Socket.send(Array("go\n".utf8)[...], to: launched.control.rawValue)
    #expect(try broker.ended().exitStatus == 4)
    #expect(try Poll.readable(host.rawValue, deadline: .now + TestLauncher.deadline))
    #expect(try host.descriptor.read(upTo: 1).isEmpty)
    #expect(throws: TestBroker.Refusal.self) { try broker.lease("a2") }
  }

  @Test func `A broker that comes back gets everything that the launcher keeps`() throws {
    let launcher = try TestLauncher()
    var first: TestBroker? = try connected(launcher)
    try first?.shell("exec cat <&3 >&3", "living")
    try first?.shell("exit 5", "dead")
    #expect(try first?.ended("dead").exitStatus == 5)
    let host = try first?.lease("a1", of: "living")
    try first?.call { LauncherInterface.SetNote(request: $0, subject: "living", note: "new note") }
    first = nil

    let second = try connected(launcher, "g2")
    #expect(try second.call { LauncherInterface.Table(request: $0) }.reply.rows == 3)
    let (row, descriptors): (LauncherEventsInterface.InstanceRow, [SharedDescriptor]) = try second.next {
      if case .instanceRow(let row) = $0 { (row, $1) } else { nil }
    }
    #expect(row.instance == "living")
    #expect(row.note == "new note")
    #expect(try second.ended("dead").exitStatus == 5)
    let control = try #require(descriptors.first)
    let process = try #require(descriptors.last)
    _ = try Socket.send(Array("hello".utf8)[...], to: control.rawValue)
    #expect(try Poll.readable(control.rawValue, deadline: .now + TestLauncher.deadline))
    #expect(try control.descriptor.read(upTo: 10) == Array("hello".utf8))
    try second.call { LauncherInterface.Kill(request: $0, instance: "living") }
    #expect(try Launched(control: control, process: process).processHasEnded())
    #expect(try second.ended("living").sandboxStatus == 137)
    withExtendedLifetime(host) {}
  }

  @Test func `Brokers that are lost early are counted until one settles`() throws {
    let launcher = try TestLauncher()
    for (generation, expected) in [("g1", 0), ("g2", 1), ("g2", 1), ("g3", 2)] {
      let (broker, reply) = try launcher.greet(generation)
      #expect(reply.unsettledStarts == expected)
      if generation == "g3" { try broker.call { LauncherInterface.Settled(request: $0) } }
    }
    #expect(try launcher.greet("g4").reply.unsettledStarts == 0)
  }

  @Test func `A second broker is refused`() throws {
    let launcher = try TestLauncher()
    let first = try connected(launcher)
    let second = try launcher.connect()
    let reply = try VarlinkReply(decoding: second.receive().0)
    #expect(reply.error == LauncherInterface.Busy.name)
    #expect(throws: TestBroker.Closed.self) { try second.receive() }
    try first.hello()
  }

  @Test func `Garbage ends the broker's connection, and nothing else`() throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    let launched = try broker.shell("exec cat <&3 >&3")
    _ = try Socket.send(Array("garbage".utf8)[...], to: broker.socket.rawValue)
    #expect(throws: TestBroker.Closed.self) { try broker.next { _, _ -> Void? in nil } }
    let again = try connected(launcher, "g1")
    #expect(try again.call { LauncherInterface.Table(request: $0) }.reply.rows == 1)
    withExtendedLifetime(launched) {}
  }

  @Test(arguments: [true, false]) func `Instances do not outlive their launcher`(sandboxed: Bool) throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    let launched = try broker.shell("trap '' TERM; echo ready; sleep 1000", sandboxed: sandboxed)
    try broker.output(containing: "ready")
    launcher.process.send(signal: Signals.kill)
    #expect(try launched.processHasEnded())
    #expect(try launched.controlHasEnded)
  }

  @Test func `A launcher that dies in the middle of a launch leaves nothing of it`() throws {
    for step in 0..<20 {
      let launcher = try TestLauncher()
      let broker = try connected(launcher)
      let launched = try broker.shell("sleep 1000")
      // Ever later in the building of the sandbox.
      for _ in 0..<step * 2000 { _ = CurrentProcess.processID }
      launcher.process.send(signal: Signals.kill)
      #expect(try launched.processHasEnded())
      #expect(try launched.controlHasEnded, "after step \(step)")
    }
  }

  @Test(arguments: [true, false]) func `A guard that is killed takes the launcher and its instances along`(
    sandboxed: Bool
  ) throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    let launched = try broker.shell("trap '' TERM; echo ready; sleep 1000", sandboxed: sandboxed)
    try broker.output(containing: "ready")
    launcher.first.send(signal: Signals.kill)
    #expect(try launched.processHasEnded())
    #expect(try launched.controlHasEnded)
    #expect(try Poll.readable(launcher.process.rawValue, deadline: .now + TestLauncher.deadline))
  }

  @Test func `An instance that is killed in the middle of its launch leaves nothing`() throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    for step in 0..<40 {
      let launched = try broker.shell("sleep 1000", "i\(step)")
      for _ in 0..<step * 1000 { _ = CurrentProcess.processID }
      try broker.call { LauncherInterface.Kill(request: $0, instance: "i\(step)") }
      _ = try broker.ended("i\(step)")
      #expect(try launched.controlHasEnded, "after step \(step)")
    }
    #expect(try launcher.children.isEmpty)
  }

  @Test(arguments: [true, false]) func `The launcher ends its instances in order`(sandboxed: Bool) throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    try broker.shell("trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done", sandboxed: sandboxed)
    try broker.output(containing: "ready")
    launcher.process.send(signal: Signals.terminate)
    #expect(try broker.ended().exitStatus == 9)
    #expect(try launcher.waitForEnd() == .exited(status: 0))
  }

  @Test func `Stop ends an instance that ignores SIGTERM, too`() throws {
    let launcher = try TestLauncher()
    let broker = try connected(launcher)
    try broker.shell("trap '' TERM; echo ready; while :; do sleep 0.02; done")
    try broker.output(containing: "ready")
    try broker.call { LauncherInterface.Stop(request: $0) }
    #expect(try broker.ended().sandboxStatus == 137)
    #expect(try launcher.waitForEnd() == .exited(status: 0))
  }

  @Test func `Without bwrap a launch fails at once`() throws {
    let launcher = try TestLauncher(environment: ["EXTENSIOND_BWRAP=/nowhere/bwrap"])
    let broker = try connected(launcher)
    let refusal = #expect(throws: TestBroker.Refusal.self) { try broker.launch(program: "/bin/true") }
    #expect(refusal?.name == LauncherInterface.LaunchFailed.name)
    #expect(refusal?.parameters["stage"] == "exec")
    #expect(refusal?.parameters["errno"] == 2)
  }

  @Test func `Whether a sandbox can be made takes no program but bwrap itself`() throws {
    let script = try Self.bubblewrap(
      #"case "$*" in *" /usr/bin/true") echo there is no such program; exit 1; esac; exec /usr/bin/bwrap "$@""#
    )
    defer { try? File.remove(script) }
    let launcher = try TestLauncher(environment: ["EXTENSIOND_BWRAP=\(script)"])
    let (broker, reply) = try launcher.greet()
    #expect(reply.sandboxFault == nil)
    withExtendedLifetime(broker) {}
  }

  /// A bwrap of another kind, to be removed at the end.
  private static func bubblewrap(_ script: String) throws -> String {
    let path = "/tmp/extensiond-launcher-test-\(UInt64.random(in: 0 ... .max))"
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    // By another process: nothing that this one starts meanwhile has it open, which would keep it from being run.
    let made = try Spawn(
      path: "/bin/sh",
      arguments: ["-c", #"printf '#!/bin/sh\n%s\n' "$1" >"$0"; chmod 755 "$0""#, path, script],
      environment: ["PATH=/usr/bin:/bin"], descriptors: [null, null, null]
    ).runToEnd()
    #expect(made == .exited(status: 0))
    return path
  }

  @Test func `A bwrap that takes too long is not said to make no sandbox`() throws {
    let script = try Self.bubblewrap("exec sleep 1000")
    defer { try? File.remove(script) }
    let launcher = try TestLauncher(environment: ["EXTENSIOND_BWRAP=\(script)"])
    let (broker, reply) = try launcher.greet()
    #expect(reply.sandboxFault == nil)
    withExtendedLifetime(broker) {}
  }

  @Test func `By hand the launcher ends when nobody needs it`() throws {
    // It waits as long for its first broker.
    let launcher = try TestLauncher(environment: ["EXTENSIOND_IDLE_MS=3000"])
    var broker: TestBroker? = try connected(launcher)
    let unused = try broker?.shell("sleep 1000", "unused")
    let used = try broker?.shell("sleep 1000", "used")
    var host = try broker?.lease("a1", of: "used")
    broker = nil
    #expect(try unused?.processHasEnded() == true)
    let usedHasEnded = try Poll.readable(try #require(used).process.rawValue, deadline: .now)
    #expect(!usedHasEnded)
    #expect(host != nil)
    host = nil
    #expect(try used?.processHasEnded() == true)
    #expect(try launcher.waitForEnd() == .exited(status: 0))
  }

  @Test(.enabled(if: TestLauncher.canMakeGroups), arguments: [true, false])
  func `Each instance has a control group of its own`(sandboxed: Bool) throws {
    let launcher = try TestLauncher(ownGroup: true)
    let group = try #require(launcher.group)
    let broker = try launcher.connect()
    #expect(try broker.hello().controlGroups)
    let launched = try broker.shell("(setsid sleep 1000 &); echo ready; sleep 1000", sandboxed: sandboxed)
    try broker.output(containing: "ready")
    #expect(try ControlGroup(path: "\(group.path)/i-i1").isPopulated)
    try broker.call { LauncherInterface.Kill(request: $0, instance: "i1") }
    #expect(try broker.ended().sandboxStatus == 137)
    #expect(!File.exists("\(group.path)/i-i1"))
    #expect(try launched.controlHasEnded)
  }
}
