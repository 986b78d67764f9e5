internal import CSeccomp
internal import LinuxSystem

/// The system calls that a sandboxed program may make, as a program for the kernel: seccomp(2), made by libseccomp.
///
/// Where either will not have it, the errno is thrown: nothing may run without it then.
struct SystemCallFilter {
  /// What differs from one instance to another.
  struct Profile: Hashable {
    /// The program may make sandboxes of its own: name spaces, and mounts in them.
    var nestedSandbox = false
    /// extension-init stops the program before its first instruction, for which it traces it.
    var stopped = false
  }

  /// The kernel's instructions, in memory that nobody can change.
  private let program: SharedDescriptor

  init(_ profile: Profile) throws(Errno) {
    guard let context = unsafe seccomp_init(SCMP_ACT_ALLOW) else { throw .invalidArgument }
    defer { unsafe seccomp_release(context) }
    // 32-bit programs and x32 have numbers of their own, for which there are no rules.
    try unsafe Self.check(seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS))
    // A tree of numbers, not a list.
    try unsafe Self.check(seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2))
    for rule in SystemCallRule.all(for: profile) {
      let number = unsafe rule.name.withCString { unsafe seccomp_syscall_resolve_name($0) }
      // Unknown to the library, or not of this architecture.
      if number < 0 { continue }
      try unsafe Self.check(
        seccomp_rule_add_array(
          context, Self.refusal(rule.errno), number, UInt32(rule.conditions.count), rule.conditions))
    }
    // It is smaller than what a pipe holds.
    let pipe = try Pipe.make()
    try unsafe Self.check(seccomp_export_bpf(context, pipe.writing.rawValue))
    let rules = try pipe.reading.descriptor.read(upTo: 1 << 16)
    program = SharedDescriptor(
      try MemoryFile.make("system-calls", holding: Self.refusalOfUnknownCalls() + rules))
  }

  /// For one bwrap: it reads from where the descriptor stands, so each one needs a position of its own.
  func open() throws(Errno) -> SharedDescriptor {
    SharedDescriptor(try File.open("/proc/self/fd/\(program.rawValue)", .readOnly))
  }

  private static func check(_ result: CInt) throws(Errno) {
    if result < 0 { throw Errno(rawValue: -result) }
  }

  /// SCMP_ACT_ERRNO, a macro.
  private static func refusal(_ errno: Errno) -> UInt32 { 0x0005_0000 | UInt32(errno.rawValue) }

  // MARK: Calls that are newer than the library

  /// Instructions that stand before libseccomp's, which has no rule for a range: a call with a number above the last
  /// that it knows does not exist. A libc that tries a new call falls back to the one before it.
  private static func refusalOfUnknownCalls() -> [UInt8] {
    let native = seccomp_arch_native()
    return [
      // The architecture and the number of seccomp_data. BPF_LD | BPF_W | BPF_ABS, BPF_JMP with JEQ, JGE and JGT, BPF_RET.
      Instruction(code: 0x20, value: 4),
      Instruction(code: 0x15, ifFalse: 4, value: native),
      Instruction(code: 0x20, value: 0),
      // x32, or no call at all.
      Instruction(code: 0x35, ifTrue: 2, value: 0x4000_0000),
      Instruction(code: 0x25, ifFalse: 1, value: lastKnownCall),
      Instruction(code: 0x06, value: refusal(.notImplemented)),
    ].flatMap(\.bytes)
  }

  private static let lastKnownCall = UInt32((CInt(0)..<1024).last { cseccomp_knows($0) != 0 } ?? 0)

  /// struct sock_filter. Jumps count the instructions that are left out.
  private struct Instruction {
    var code: UInt16
    var ifTrue: UInt8 = 0
    var ifFalse: UInt8 = 0
    var value: UInt32

    var bytes: [UInt8] { unsafe withUnsafeBytes(of: self) { unsafe Array($0) } }
  }
}
