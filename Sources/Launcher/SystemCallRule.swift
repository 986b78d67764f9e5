internal import CSeccomp
internal import LinuxSystem

/// A system call that a sandboxed program may not make, and the error that it gets. docs/security.md has the list.
struct SystemCallRule {
  let name: String
  let errno: Errno
  /// All must hold; none: whatever the arguments are.
  var conditions: [scmp_arg_cmp] = []

  /// What no program needs in a sandbox, and what most of the kernel's holes were behind.
  private static let refused = [
    // Other processes, and what the kernel tells about itself.
    "process_vm_readv", "process_vm_writev", "pidfd_getfd", "process_madvise", "perf_event_open", "bpf",
    "lookup_dcookie", "syslog",
    // Keys of the user's session: they have no name space.
    "add_key", "keyctl", "request_key",
    // The machine.
    "acct", "create_module", "delete_module", "finit_module", "init_module", "query_module",
    "get_kernel_syms",
    "kexec_file_load", "kexec_load", "nfsservctl", "quotactl", "quotactl_fd", "reboot", "sethostname",
    "setdomainname", "swapoff", "swapon", "_sysctl", "sysfs", "uselib", "vhangup", "iopl", "ioperm",
    "modify_ldt", "vm86", "vm86old",
    "adjtimex", "clock_adjtime", "clock_adjtime64", "clock_settime", "clock_settime64", "settimeofday",
    "stime",
    // Files past their paths.
    "open_by_handle_at", "fanotify_init", "fanotify_mark",
    // Large, and new holes every year. A program that would use them has another way.
    "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    // Memory of other processes on machines with several nodes.
    "mbind", "migrate_pages", "move_pages", "set_mempolicy", "set_mempolicy_home_node",
  ]

  /// What a sandbox is made with.
  private static let sandboxing = [
    "mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "pivot_root", "chroot", "unshare", "setns",
  ]

  /// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
  private static let nameSpaces: [UInt64] = [
    0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
  ]

  static func all(for profile: SystemCallFilter.Profile) -> [Self] {
    var rules = refused.map { Self(name: $0, errno: .notPermitted) }
    rules += tracing(profile) + terminals + sockets + unseenConnections
    // Anything but PER_LINUX. It can make memory executable, or mappings easy to guess.
    rules.append(Self(name: "personality", errno: .notPermitted, conditions: [.argument(0, isNot: 0)]))
    if !profile.nestedSandbox {
      rules += sandboxing.map { Self(name: $0, errno: .notPermitted) }
      rules += nameSpaces.map {
        Self(name: "clone", errno: .notPermitted, conditions: [.argument(0, has: $0, in: $0)])
      }
      // Its flags are in memory, where no filter can look. The C library uses clone then.
      rules.append(Self(name: "clone3", errno: .notImplemented))
    }
    return rules
  }

  /// With `stopped`, what extension-init does: PTRACE_TRACEME is 0, PTRACE_DETACH 17. With these two alone nobody can
  /// look into a process or change it.
  private static func tracing(_ profile: SystemCallFilter.Profile) -> [Self] {
    guard profile.stopped else { return [Self(name: "ptrace", errno: .notPermitted)] }
    let others = (UInt64(1)..<17).map { scmp_arg_cmp.argument(0, is: $0) } + [.argument(0, isAtLeast: 18)]
    return others.map { Self(name: "ptrace", errno: .notPermitted, conditions: [$0]) }
  }

  /// TIOCSTI and TIOCLINUX type into a terminal as if the person did. TIOCSETD loads modules.
  private static let terminals = ([0x5412, 0x541C, 0x5423] as [UInt64]).map {
    Self(name: "ioctl", errno: .notPermitted, conditions: [.argument(1, has: $0, in: 0xFFFF_FFFF)])
  }

  /// Allowed are AF_UNIX 1, AF_INET 2, AF_INET6 10 and, of AF_NETLINK 16, NETLINK_ROUTE 0 and NETLINK_KOBJECT_UEVENT 15,
  /// for getifaddrs(3) and libudev. Others are seldom used and have had holes; AF_VSOCK has no name space.
  private static let sockets: [Self] = {
    let families =
      (UInt64(3)..<10).map { scmp_arg_cmp.argument(0, is: $0) }
      + (UInt64(11)..<16).map { .argument(0, is: $0) } + [.argument(0, isAtLeast: 17)]
    let protocols = (UInt64(1)..<15).map { scmp_arg_cmp.argument(2, is: $0) } + [.argument(2, isAtLeast: 16)]
    var rules = families.map {
      Self(name: "socket", errno: .familyNotSupported, conditions: [$0])
    }
    rules += protocols.map {
      Self(name: "socket", errno: .protocolNotSupported, conditions: [.argument(0, is: 16), $0])
    }
    // SOCK_RAW, and SOCK_PACKET, which makes AF_PACKET of AF_INET.
    for (family, type) in [(2, 3), (10, 3), (2, 10)] as [(UInt64, UInt64)] {
      rules.append(
        Self(
          name: "socket", errno: .notPermitted,
          conditions: [.argument(0, is: family), .argument(1, has: type, in: 0xF)]))
    }
    return rules
  }()
}

extension SystemCallRule {
  /// Landlock tells who may connect and who may be connected to for TCP alone, and looks at bind(2) and connect(2). Of
  /// streams 6, TCP, is left (0 means it): not MPTCP and SMC. SOCK_SEQPACKET 5 is SCTP's, SOCK_DCCP 6. MSG_FASTOPEN connects
  /// without connect(2).
  fileprivate static let unseenConnections: [Self] = {
    var rules: [Self] = []
    for family in [2, 10] as [UInt64] {
      let internet = scmp_arg_cmp.argument(0, is: family)
      let others = (UInt64(1)..<6).map { scmp_arg_cmp.argument(2, is: $0) } + [.argument(2, isAtLeast: 7)]
      rules += others.map {
        Self(
          name: "socket", errno: .protocolNotSupported,
          conditions: [internet, .argument(1, has: 1, in: 0xF), $0])
      }
      rules += ([5, 6] as [UInt64]).map {
        Self(
          name: "socket", errno: .protocolNotSupported,
          conditions: [internet, .argument(1, has: $0, in: 0xF)])
      }
    }
    for (name, flags) in [("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)] as [(String, UInt32)] {
      rules.append(
        Self(
          name: name, errno: .notSupported,
          conditions: [.argument(flags, has: 0x2000_0000, in: 0x2000_0000)]))
    }
    return rules
  }()
}

extension scmp_arg_cmp {
  /// Its upper half counts too: where the kernel looks at the lower alone, `isAtLeast` must catch the rest.
  fileprivate static func argument(_ number: UInt32, is value: UInt64) -> Self {
    Self(arg: number, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
  }

  fileprivate static func argument(_ number: UInt32, isNot value: UInt64) -> Self {
    Self(arg: number, op: SCMP_CMP_NE, datum_a: value, datum_b: 0)
  }

  fileprivate static func argument(_ number: UInt32, isAtLeast value: UInt64) -> Self {
    Self(arg: number, op: SCMP_CMP_GE, datum_a: value, datum_b: 0)
  }

  fileprivate static func argument(_ number: UInt32, has value: UInt64, in mask: UInt64) -> Self {
    Self(arg: number, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
  }
}
