internal import LinuxSystem
internal import Testing

@testable internal import Launcher

struct MemoryWatchTests {
  /// Mounts of another process instead of memory: the kernel tells of both in the same way.
  @Test func `Changes that come one after another are looked at together`() throws {
    let place = "/tmp/extensiond-launcher-test-\(UInt64.random(in: 0 ... .max))"
    try File.makeDirectory(place)
    defer { try? File.removeTree(place) }
    let (input, output) = (try Pipe.make(), try Pipe.make())
    let errors = SharedDescriptor(try FileDescriptor.standardError())
    let child = try Spawn(
      path: "/usr/bin/unshare",
      arguments: [
        "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
        "echo ready; while read line; do mount -t tmpfs none /tmp && echo changed; done",
      ],
      environment: ["PATH=/usr/bin:/bin"], descriptors: [input.reading, output.writing, errors]
    ).run()
    let childID = child.processID
    let process = SharedProcess(child)
    defer {
      process.send(signal: Signals.kill)
      _ = try? Poll.readable(process.rawValue, deadline: .now + TestLauncher.deadline)
      _ = try? process.process.reap()
    }
    func answer() throws {
      try #require(try Poll.readable(output.reading.rawValue, deadline: .now + TestLauncher.deadline))
      _ = try output.reading.descriptor.read(upTo: 64)
    }
    func change() throws {
      try input.writing.descriptor.write(all: [0x0A])
      try answer()
    }
    func use(_ bytes: Int) throws {
      try File.open(place + "/memory.current", [.writeOnly, .create, .truncate]).write(
        all: Array("\(bytes)\n".utf8))
    }
    try answer()
    try File.makeLink("/proc/\(childID)/mounts", at: place + "/memory.events")
    for file in ["stat", "high"] { _ = try File.open(place + "/memory." + file, [.writeOnly, .create]) }
    try use(100)

    let loop = try EventLoop()
    let group = try ControlGroup(path: place)
    var (patient, eager) = (0, 0)
    let watches = [
      try MemoryWatch(group, limit: 1000, loop: loop, pause: .seconds(3600)) { patient += 1 },
      try MemoryWatch(group, limit: 1000, loop: loop, pause: .zero) { eager += 1 },
    ]
    try change()
    try loop.turn(limit: .zero)
    try use(950)
    try change()
    let deadline = MonotonicTime.now + TestLauncher.deadline
    while eager == 0, MonotonicTime.now < deadline { try loop.turn(limit: .seconds(1)) }
    #expect(eager == 1 && patient == 0)
    for watch in watches { watch.cancel() }
  }
}
