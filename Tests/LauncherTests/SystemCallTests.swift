internal import LauncherProtocol
internal import LinuxSystem
internal import Testing

/// What a sandboxed program cannot ask of the kernel, and what it still can: each asked by a real one.
@Suite(.serialized) struct SystemCallTests {
  let launcher: TestLauncher
  let broker: TestBroker

  init() throws {
    launcher = try TestLauncher()
    broker = try launcher.connect()
    try broker.hello()
  }

  /// `call(number, argument…)` gives the name of the error, or "done".
  private static let preamble = """
    import ctypes, errno, os, socket, sys
    libc = ctypes.CDLL(None, use_errno=True)
    def call(number, *arguments):
        arguments = [a if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
        result = libc.syscall(ctypes.c_long(number), *arguments)
        return errno.errorcode[ctypes.get_errno()] if result < 0 else "done"
    def attempt(function, *arguments):
        try: function(*arguments)
        except OSError as e: return errno.errorcode[e.errno]
        return "done"

    """

  /// What a program of these lines prints.
  private func python(
    _ lines: String, sandboxed: Bool = true, nestedSandbox: Bool? = nil, stopped: Bool? = nil
  ) throws -> [String] {
    try broker.launch(
      program: "/usr/bin/python3", ["-c", Self.preamble + lines], environment: ["PATH=/usr/bin:/bin"],
      sandboxed: sandboxed, stopped: stopped, nestedSandbox: nestedSandbox)
    if stopped == true {
      let pid = try broker.next { event, _ in if case .stopped(let event) = event { event.pid } else { nil } }
      try SharedProcess(processID: Int32(clamping: pid)).process.send(signal: 18)
    }
    let end = try broker.ended()
    #expect(end.exitStatus == 0, "\(end)")
    try broker.call { LauncherInterface.Forget(request: $0, instance: "i1") }
    return end.standardError
  }

  #if arch(x86_64)
    /// Numbers of x86-64, with arguments for which the kernel would have another answer.
    private static let refused = [
      ("mount", "165, b'none', b'/tmp', b'tmpfs', 0, 0"), ("umount2", "166, b'/tmp', 0"),
      ("pivot_root", "155, b'/', b'/'"), ("chroot", "161, b'/nowhere'"),
      ("move_mount", "429, -1, b'', -1, b'', 0"),
      ("open_tree", "428, -1, b'x', 0"), ("fsopen", "430, b'tmpfs', 0"),
      ("mount_setattr", "442, -1, b'x', 0, 0, 0"),
      ("unshare", "272, 0"), ("unshare user", "272, 0x10000000"), ("setns", "308, -1, 0"),
      ("clone user", "56, 0x10000000 | 17, 0, 0, 0, 0"), ("clone net", "56, 0x40000000 | 17, 0, 0, 0, 0"),
      ("clone mount", "56, 0x20000 | 17, 0, 0, 0, 0"), ("clone pid", "56, 0x20000000 | 17, 0, 0, 0, 0"),
      ("ptrace attach", "101, 16, 999999, 0, 0"), ("ptrace traceme", "101, 0, 0, 0, 0"),
      ("process_vm_readv", "310, 999999, 0, 0, 0, 0, 0"), ("pidfd_getfd", "438, -1, 0, 0"),
      ("bpf", "321, 0, 0, 0"), ("perf_event_open", "298, 0, 0, -1, -1, 0"), ("userfaultfd", "323, 2048"),
      ("io_uring_setup", "425, 1, 0"), ("io_uring_enter", "426, -1, 0, 0, 0, 0"),
      ("add_key", "248, b'user', b'x', b'x', 1, -3"), ("request_key", "249, b'user', b'x', 0, 0"),
      ("keyctl", "250, 0, -3, 0"), ("kexec_load", "246, 0, 0, 0, 0"), ("init_module", "175, 0, 0, b''"),
      ("finit_module", "313, -1, b'', 0"), ("reboot", "169, 0, 0, 0, 0"), ("swapon", "167, b'/nowhere', 0"),
      ("acct", "163, b'/nowhere'"), ("quotactl", "179, 0, 0, 0, 0"), ("syslog", "103, 3, 0, 0"),
      ("settimeofday", "164, 0, 0"), ("clock_settime", "227, 99, 0"), ("adjtimex", "159, 0"),
      ("open_by_handle_at", "304, -1, 0, 0"), ("fanotify_init", "300, 0, 0"), ("personality", "135, 0x40000"),
      ("personality exec", "135, 0x400000"), ("mbind", "237, 0, 0, 0, 0, 0, 99"),
      ("TIOCSTI", "16, 0, 0x5412, b'x'"), ("TIOCLINUX", "16, 0, 0x541C, b'x'"),
      ("TIOCSETD", "16, 0, 0x5423, b'x'"),
      ("TIOCSTI past 32 bits", "16, 0, 0x700005412, b'x'"), ("raw", "41, 2, 3, 1"),
      ("raw 6", "41, 10, 3 | 0x80000, 58"),
      ("packet by inet", "41, 2, 10, 0"),
    ]

    @Test func `What no program needs in a sandbox is not permitted`() throws {
      let lines = Self.refused.map { "print('\($0.0):', call(\($0.1)))" }.joined(separator: "\n")
      #expect(
        try python(lines).joined(separator: "\n")
          == Self.refused.map { "\($0.0): EPERM" }.joined(separator: "\n"))
    }

    @Test func `What the library does not know does not exist`() throws {
      // clone3, and numbers that no kernel has yet.
      #expect(try python("print(call(435, 0, 0), call(900), call(0x3fffffff))") == ["ENOSYS ENOSYS ENOSYS"])
      // The first number after the library's last. A newer kernel would find fault with the arguments.
      let lines = """
        known = ctypes.CDLL('libseccomp.so.2').seccomp_syscall_resolve_num_arch
        print(call(max(n for n in range(1024) if known(0, n)) + 1, -1, 0, 0, 0))
        """
      #expect(try python(lines) == ["ENOSYS"])
    }

    @Test(arguments: ["0x40000000 + 39", "0x40000000 + 165"])
    func `A call of another architecture ends the program`(number: String) throws {
      try broker.launch(program: "/usr/bin/python3", ["-c", Self.preamble + "call(\(number))"])
      #expect(try broker.ended().signal == 31)
    }

    @Test func `A program that starts stopped can trace nobody`() throws {
      // PTRACE_ATTACH, SEIZE, CONT, POKEDATA, PEEKDATA.
      let lines = "print([call(101, request, 999999, 0, 0) for request in (16, 0x4206, 7, 5, 2)])"
      #expect(try python(lines, stopped: true) == ["['EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM']"])
    }

    @Test func `A nested sandbox may be made where it is wanted, and nothing else`() throws {
      let lines = """
        print(call(250, 0, -3, 0), call(101, 16, 999999, 0, 0))
        print(call(272, 0x10020000), call(165, b'none', b'/tmp', b'tmpfs', 0, 0))
        """
      #expect(try python(lines, nestedSandbox: true) == ["EPERM EPERM", "done done"])
    }
  #endif

  @Test func `Sockets are for the families that programs use`() throws {
    let lines = """
      def family(*arguments): return attempt(lambda: socket.socket(*arguments).close())
      print([family(n, 1, 0) for n in (1, 2, 10)], family(16, 3, 0), family(16, 3, 15))
      print({family(n, 1, 0) for n in list(range(3, 10)) + list(range(11, 16)) + list(range(17, 64))})
      print({family(16, 3, n) for n in list(range(1, 15)) + list(range(16, 40))})
      """
    #expect(
      try python(lines) == [
        "['done', 'done', 'done'] done done", "{'EAFNOSUPPORT'}", "{'EPROTONOSUPPORT'}",
      ])
  }

  @Test func `Threads, processes and pools work`() throws {
    let lines = """
      import multiprocessing, subprocess, threading, concurrent.futures
      done = []
      threads = [threading.Thread(target=done.append, args=(n,)) for n in range(8)]
      [t.start() for t in threads]; [t.join() for t in threads]
      print(len(done), os.popen('echo popen').read().strip(), subprocess.check_output(['echo', 'spawn']).decode().strip())
      child = os.fork()
      if child == 0: os._exit(7)
      print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      with multiprocessing.get_context('fork').Pool(2) as pool: print(sum(pool.map(abs, range(100))))
      with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(100))))
      """
    #expect(try python(lines) == ["8 popen spawn", "7", "4950", "4950"])
  }

  @Test func `The kernel says that a filter is there`() throws {
    let lines =
      "print([l.split()[1] for l in open('/proc/self/status') if l.startswith(('Seccomp:', 'NoNewPrivs:'))])"
    #expect(try python(lines) == ["['1', '2']"])
    // One filter for two instances: each is given it from the beginning.
    #expect(try python(lines) == ["['1', '2']"])
  }
}
