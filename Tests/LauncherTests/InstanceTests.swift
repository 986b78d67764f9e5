internal import LauncherProtocol
internal import LinuxSystem
internal import Testing
internal import Varlink

/// One instance from its start to its end, with the real programs. Sandboxed or not, it must look the same.
@Suite(.serialized) struct InstanceTests {
  let launcher: TestLauncher
  let broker: TestBroker

  init() throws {
    launcher = try TestLauncher()
    broker = try launcher.connect()
    try broker.hello()
  }

  @Test(arguments: [true, false]) func `An exit status is told exactly`(sandboxed: Bool) throws {
    let launched = try broker.shell("exit 139", sandboxed: sandboxed)
    let end = try broker.ended()
    #expect(end.executed)
    #expect(end.exitStatus == 139)
    #expect(end.signal == nil)
    #expect(end.failedStage == nil)
    #expect(end.sandboxStatus == 139)
    #expect(end.note == "note")
    #expect(try launched.controlHasEnded)
    #expect(try launched.processHasEnded())
  }

  @Test(arguments: [true, false]) func `A signal is told from an exit status`(sandboxed: Bool) throws {
    try broker.shell("kill -SEGV $$", sandboxed: sandboxed)
    let end = try broker.ended()
    #expect(end.signal == 11)
    #expect(end.exitStatus == nil)
    #expect(end.sandboxStatus == 139)
  }

  @Test(arguments: [true, false]) func `A program that does not exist says so`(sandboxed: Bool) throws {
    try broker.launch(program: "/nowhere", sandboxed: sandboxed)
    let end = try broker.ended()
    #expect(!end.executed)
    #expect(end.failedStage == "program")
    #expect(end.errno == 2)
  }

  @Test func `A sandbox that cannot be built says why`() throws {
    try broker.launch(
      program: "/bin/true", mounts: [.init(kind: .readOnly, source: "/nowhere", destination: "/x")])
    let end = try broker.ended()
    #expect(end.failedStage == "sandbox")
    #expect(end.errno == nil)
    #expect(end.standardError.contains { $0.contains("/nowhere") })
  }

  @Test(arguments: [true, false]) func `Descriptors 0 to 3 are inherited, and no others`(sandboxed: Bool)
    throws
  {
    let script = """
      import os
      def open_(n):
          try: return os.fstat(n) is not None
          except OSError: return False
      print([n for n in range(1000) if open_(n)], os.read(0, 1))
      """
    try broker.launch(program: "/usr/bin/python3", ["-c", script], sandboxed: sandboxed)
    #expect(try broker.ended().standardError == ["[0, 1, 2, 3] b''"])
  }

  @Test(arguments: [true, false]) func `A program can be stopped before its first instruction`(
    sandboxed: Bool
  ) throws {
    try broker.launch(
      program: "/bin/sh", ["-c", "echo goes on; exit 7"], sandboxed: sandboxed, stopped: true)
    let stopped = try broker.next { event, _ in if case .stopped(let stopped) = event { stopped } else { nil }
    }
    let process = "/proc/\(stopped.pid)"
    let status = String(decoding: try File.read("\(process)/status", limit: 1 << 16), as: UTF8.self)
    #expect(status.contains("State:\tT (stopped)"))
    #expect(status.contains("TracerPid:\t0\n"))
    #expect(try File.readLink("\(process)/exe").hasSuffix("/dash"))
    // Its loader has mapped nothing yet.
    let maps = String(decoding: try File.read("\(process)/maps", limit: 1 << 16), as: UTF8.self)
    #expect(!maps.contains("libc.so"))
    try SharedProcess(processID: Int32(clamping: stopped.pid)).process.send(signal: 18)
    let end = try broker.ended()
    #expect(end.exitStatus == 7 && end.standardError == ["goes on"])
  }

  @Test(arguments: [true, false]) func `What is stopped can be killed, and what does not exist is told`(
    sandboxed: Bool
  ) throws {
    try broker.launch(program: "/bin/sh", sandboxed: sandboxed, stopped: true)
    try broker.next { event, _ in if case .stopped = event { () } else { nil } }
    try broker.call { LauncherInterface.Kill(request: $0, instance: "i1") }
    #expect(try broker.ended().exitStatus == nil)
    try broker.launch("i2", program: "/nowhere", sandboxed: sandboxed, stopped: true)
    let end = try broker.ended("i2")
    #expect(end.failedStage == "program" && end.errno == 2)
  }

  @Test(arguments: [true, false]) func `The environment is what was given`(sandboxed: Bool) throws {
    try broker.launch(
      program: "/usr/bin/env", environment: ["A=1", "B=x y=z", "EMPTY="], sandboxed: sandboxed)
    let lines = try broker.ended().standardError
    #expect(lines.filter { !$0.hasPrefix("LISTEN_PID=") }.sorted() == ["A=1", "B=x y=z", "EMPTY="])
    #expect(lines.count == 4)
  }

  @Test(arguments: [true, false]) func `LISTEN_PID is the program's number`(sandboxed: Bool) throws {
    try broker.shell("test $LISTEN_PID = $$", sandboxed: sandboxed)
    #expect(try broker.ended().exitStatus == 0)
  }

  @Test(arguments: [true, false]) func `The program starts where it should`(sandboxed: Bool) throws {
    try broker.launch(program: "/bin/pwd", directory: "/usr/share", sandboxed: sandboxed)
    #expect(try broker.ended().standardError == ["/usr/share"])
  }

  @Test(arguments: [true, false]) func `Limits hold`(sandboxed: Bool) throws {
    try broker.launch(
      program: "/bin/sh", ["-c", "ulimit -n; ulimit -Hn; ulimit -c; ulimit -f; ulimit -Hd"],
      sandboxed: sandboxed,
      limits: .init(openFiles: 77, fileSize: 1 << 20, coreSize: 0, memory: 64 << 20, processes: 50))
    // Of files in blocks of 512 bytes, of memory in KiB.
    #expect(try broker.ended().standardError == ["77", "77", "0", "2048", "65536"])
  }

  @Test func `More open files than a program can use without knowing are had by asking`() throws {
    try broker.launch(
      program: "/bin/sh", ["-c", "ulimit -n; ulimit -Hn"], limits: .init(openFiles: 1500))
    #expect(try broker.ended().standardError == ["1024", "1500"])
  }

  @Test func `The bundle that was sent along is seen, and cannot be written`() throws {
    let bundle = SharedDescriptor(try File.open(launcher.directory, [.readOnly, .directory]))
    try broker.launch(
      program: "/bin/sh", ["-c", "ls /extension; touch /extension/x"],
      mounts: [.init(kind: .bundle, source: nil, destination: "/extension")], bundle: bundle)
    let lines = try broker.ended().standardError
    #expect(lines.first == "extensiond")
    #expect(lines.last?.contains("Read-only") == true)
  }

  @Test(arguments: [true, false]) func `What a program leaves behind ends with it`(sandboxed: Bool) throws {
    let launched = try broker.shell(
      "(setsid sleep 1000 &) ; (setsid sleep 1000 &) ; exit 3", sandboxed: sandboxed)
    #expect(try broker.ended().exitStatus == 3)
    // They had the control socket.
    #expect(try launched.controlHasEnded)
  }

  @Test(arguments: [true, false]) func `A program may take its leave when it is terminated`(sandboxed: Bool)
    throws
  {
    try broker.shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done", sandboxed: sandboxed)
    try broker.output(containing: "ready")
    try broker.call { LauncherInterface.Terminate(request: $0, instance: "i1") }
    let end = try broker.ended()
    #expect(end.exitStatus == 7)
    try broker.call { LauncherInterface.Terminate(request: $0, instance: "i1") }
  }

  @Test(arguments: [true, false]) func `Terminate right after the launch is not lost`(sandboxed: Bool) throws
  {
    try broker.shell("sleep 1000", sandboxed: sandboxed)
    try broker.call { LauncherInterface.Terminate(request: $0, instance: "i1") }
    #expect(try broker.ended().signal == 15)
  }

  @Test(arguments: [true, false]) func `Kill ends everything at once`(sandboxed: Bool) throws {
    let launched = try broker.shell(
      "trap '' TERM; (setsid sleep 1000 &); echo ready; sleep 1000", sandboxed: sandboxed)
    try broker.output(containing: "ready")
    try broker.call { LauncherInterface.Kill(request: $0, instance: "i1") }
    try broker.call { LauncherInterface.Kill(request: $0, instance: "i1") }
    let end = try broker.ended()
    #expect(end.executed)
    #expect(end.exitStatus == nil)
    #expect(end.sandboxStatus == 137)
    #expect(try launched.controlHasEnded)
  }

  @Test func `The last lines of standard error can be shown anywhere`() throws {
    let script = """
      import sys
      for n in range(60): print('line', n, file=sys.stderr)
      sys.stderr.flush()
      sys.stderr.buffer.write(b'bad \\xff\\x1b[1m\\r\\n' + b'x' * 2000 + b'\\nno end')
      """
    try broker.launch(program: "/usr/bin/python3", ["-c", script])
    let lines = try broker.ended().standardError
    #expect(lines.count == 50)
    #expect(lines.first == "line 13")
    #expect(lines.suffix(3) == ["bad \u{fffd}\\x1b[1m", String(repeating: "x", count: 1000), "no end"])
  }

  @Test func `A program that writes without end is not slowed, and what was left out is counted`() throws {
    try broker.launch(program: "/usr/bin/python3", ["-c", "for n in range(20000): print(n)"])
    var lines = 0
    var dropped = 0
    var end: LauncherEventsInterface.Ended?
    while end == nil {
      end = try broker.next { event, _ -> LauncherEventsInterface.Ended?? in
        switch event {
        case .output(let output):
          lines += output.lines.count
          dropped += output.dropped
          return .some(nil)
        case .ended(let end): return end
        default: return .some(nil)
        }
      }
    }
    #expect(end?.standardError.last == "19999")
    #expect(lines + dropped == 20000)
    #expect(lines <= 2000)
  }

  @Test(arguments: ["", "a/b", "..\u{0}", String(repeating: "a", count: 65)])
  func `A name that could not be a file's is refused`(name: String) throws {
    let refusal = #expect(throws: TestBroker.Refusal.self) { try broker.launch(name, program: "/bin/true") }
    #expect(refusal?.name == LauncherInterface.LaunchFailed.name)
  }

  @Test func `A NUL cannot smuggle options into the sandbox`() throws {
    let refusal = #expect(throws: TestBroker.Refusal.self) {
      try broker.launch(
        program: "/bin/true",
        mounts: [.init(kind: .readOnly, source: "/usr", destination: "/x\u{0}--share-net")])
    }
    #expect(refusal?.name == LauncherInterface.LaunchFailed.name)
  }

  @Test func `Fifty instances leave neither processes nor descriptors`() throws {
    let before = try launcher.openDescriptors
    for number in 0..<50 {
      let sandboxed = number % 2 == 0
      try broker.shell("(sleep 1000 &); exit \(number)", "i\(number)", sandboxed: sandboxed)
      #expect(try broker.ended("i\(number)").exitStatus == number)
      try broker.call { LauncherInterface.Forget(request: $0, instance: "i\(number)") }
    }
    #expect(try launcher.openDescriptors == before)
    #expect(try launcher.children.isEmpty)
  }
}
