internal import LauncherProtocol
internal import LinuxSystem
internal import Testing

/// What a sandboxed program can do to files, sockets and processes: by the mounts, and once more by Landlock.
@Suite(.serialized) struct FileSystemTests {
  let launcher: TestLauncher
  let broker: TestBroker

  init() throws {
    launcher = try TestLauncher()
    broker = try launcher.connect()
    try broker.hello()
  }

  private static let preamble = """
    import errno, os, socket, sys
    def attempt(function, *arguments):
        try: function(*arguments)
        except OSError as e: return errno.errorcode[e.errno]
        return "done"
    def write(path): return attempt(lambda: open(path, 'w').write('x'))

    """

  private func python(_ lines: String, mounts: [LauncherInterface.Mount] = []) throws -> [String] {
    try broker.launch(program: "/usr/bin/python3", ["-c", Self.preamble + lines], mounts: mounts)
    let end = try broker.ended()
    #expect(end.exitStatus == 0, "\(end)")
    return end.standardError
  }

  @Test func `What is there to be written can be written, and nothing else`() throws {
    try File.makeDirectory("\(launcher.directory)/home")
    let lines = """
      print([write(p) for p in ('/x', '/usr/x', '/dev/x', '/proc/x')])
      print([write(p) for p in ('/tmp/x', '/run/x', '/home/x', '/dev/shm/x', '/dev/null', '/proc/self/comm')])
      print(attempt(os.mkdir, '/tmp/d'), attempt(os.rename, '/tmp/x', '/tmp/d/y'), attempt(os.link, '/home/x', '/home/y'))
      print(attempt(os.mkdir, '/d'), attempt(os.symlink, 'a', '/usr/b'), os.WEXITSTATUS(os.system('exit 7')))
      """
    let home = LauncherInterface.Mount(
      kind: .writable, source: "\(launcher.directory)/home", destination: "/home")
    let said = try python(lines, mounts: [home])
    #expect(
      said[0] == "['EROFS', 'EROFS', 'EROFS', 'ENOENT']"
        || said[0] == "['EACCES', 'EROFS', 'EACCES', 'ENOENT']")
    #expect(said[1] == "['done', 'done', 'done', 'done', 'done', 'done']")
    #expect(said[2...] == ["done done done", "EROFS EROFS 7"])
  }

  @Test func `A small file of /etc has its content, cannot be changed, and costs no mount`() throws {
    let path = "/etc/nsswitch.conf"
    guard let content = try? File.read(path, limit: 4096) else { return }
    let lines = """
      path = '\(path)'
      print(list(open(path, 'rb').read()) == \(content))
      print([attempt(*call) == 'EROFS' for call in ((os.chmod, path, 0o777), (os.utime, path), (os.chown, path, 0, 0))])
      print(write(path) != 'done', attempt(os.remove, path) != 'done', attempt(os.rename, path, '/etc/x') != 'done')
      print([line for line in open('/proc/self/mountinfo') if '/etc/' in line])
      """
    let said = try python(lines, mounts: [.init(kind: .readOnly, destination: path)])
    #expect(said == ["True", "[True, True, True]", "True True True", "[]"])
  }

  @Test func `A file system in memory has a size`() throws {
    let lines = """
      def fill(path):
          def more():
              with open(path, 'wb', buffering=0) as file:
                  while True: file.write(bytes(65536))
          return attempt(more)
      print(fill('/sized/x'), os.path.getsize('/sized/x'), fill('/dev/shm/x'), os.path.getsize('/dev/shm/x'))
      """
    let said = try python(
      lines,
      mounts: [
        .init(kind: .devices, destination: "/dev", size: 1 << 20),
        .init(kind: .temporary, destination: "/sized", size: 2 << 20),
      ])
    #expect(said == ["ENOSPC 2097152 ENOSPC 1048576"])
  }

  @Test func `Landlock's level is told, and holds`() throws {
    let lines = """
      def tcp(call): return attempt(getattr(socket.socket(), call), ('127.0.0.1', 4711))
      print(tcp('bind'), tcp('connect'), attempt(os.kill, 1, 0), attempt(os.kill, os.getpid(), 0))
      sys.stdout.flush()
      os.read(3, 1)
      """
    let launched = try broker.launch(program: "/usr/bin/python3", ["-c", Self.preamble + lines])
    let said: String = try broker.next { event, _ in
      if case .output(let output) = event { output.lines.first } else { nil }
    }
    let (found, descriptors) = try broker.call { LauncherInterface.Inspect(request: $0, instance: "i1") }
    let level = try #require(found.landlock)
    // What the kernel says by itself. Its first ABI is of no use.
    let question = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))"
    try broker.launch("i2", program: "/usr/bin/python3", ["-c", question], sandboxed: false)
    let kernel = Int(try broker.ended("i2").standardError.first ?? "") ?? 0
    #expect(level == (kernel < 2 ? 0 : kernel))
    let expected =
      switch level {
      case ..<4: "done ECONNREFUSED done done"
      case ..<6: "EACCES EACCES done done"
      default: "EACCES EACCES EPERM done"
      }
    #expect(said == expected)
    // The directory is the program's, not bwrap's.
    let directory = try #require(descriptors.first)
    let name = try File.read("comm", limit: 64, in: directory.rawValue)
    #expect(String(decoding: name, as: UTF8.self).hasPrefix("python3"))
    _ = try Socket.send([1], to: launched.control.rawValue)
    #expect(try broker.ended().exitStatus == 0)
    // It stays the one of the program that has ended.
    #expect(throws: Errno.noSuchProcess) { try File.read("comm", limit: 64, in: directory.rawValue) }
    let refusal = #expect(throws: TestBroker.Refusal.self) {
      try broker.call { LauncherInterface.Inspect(request: $0, instance: "i1") }
    }
    #expect(refusal?.name == LauncherInterface.InstanceNotFound.name)
  }

  @Test func `An unsandboxed program has no Landlock`() throws {
    try broker.shell("echo ready; exec sleep 1000", sandboxed: false)
    try broker.output(containing: "ready")
    #expect(try broker.call { LauncherInterface.Inspect(request: $0, instance: "i1") }.reply.landlock == nil)
  }
}
