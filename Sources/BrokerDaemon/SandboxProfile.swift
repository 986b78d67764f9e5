internal import BrokerCore
internal import LauncherProtocol
internal import LinuxSystem

/// What an extension sees of the machine: the default profile. docs/security.md explains it.
struct SandboxProfile: Sendable {
  static let bundle = "/extension"
  static let home = "/home/extension"
  /// What serves an ordinary program as an extension.
  private static let stdio = "/run/extension-stdio"

  /// Things of /etc that programs and their libraries look up, and that tell nothing about the person.
  private static let configuration = [
    "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/ssl/certs", "/etc/timezone",
  ]

  let mounts: [LauncherInterface.Mount]
  let environment: [String]
  /// What is run, and with which arguments.
  let command: (program: String, arguments: [String])

  /// `stdioProgram`: where extension-stdio is. `home`: the mounts of the person's home.
  init(
    container: String, order: LaunchOrder, stdioProgram: String, limits: Limits, grants: SandboxGrants,
    home: HomeMounts?
  ) {
    guard grants.isSandboxed else {
      mounts = []
      let program = "./" + order.program
      command = Self.command(order, program, servedBy: stdioProgram)
      environment = Self.environment(order, bundle: order.path, grants.environment)
      return
    }
    let program = Self.bundle + "/" + order.program
    var mounts: [LauncherInterface.Mount] = [
      .init(kind: .empty, destination: "/"),
      .init(kind: .readOnly, destination: "/usr"),
    ]
    for name in ["bin", "lib", "lib32", "lib64", "sbin"] {
      if let target = try? File.readLink("/\(name)") {
        mounts.append(.init(kind: .link, source: target, destination: "/\(name)"))
      } else if File.exists("/\(name)") {
        mounts.append(.init(kind: .readOnly, source: "/\(name)", destination: "/\(name)"))
      }
    }
    for path in Self.configuration where File.exists(path) {
      for part in Self.parts(of: path) { mounts.append(.init(kind: .readOnly, destination: part)) }
    }
    mounts += [
      .init(kind: .processes, destination: "/proc"),
      .init(kind: .devices, destination: "/dev", size: limits.sharedMemoryBytes),
      .init(kind: .temporary, destination: "/tmp", size: limits.temporaryBytes),
      .init(kind: .temporary, destination: "/run", size: limits.runtimeBytes),
    ]
    // What was asked for must not lie above what the extension has by itself.
    mounts += (home?.mounts ?? []) + grants.mounts
    mounts += [
      .init(kind: .writable, source: container, destination: Self.home),
      .init(kind: .bundle, destination: Self.bundle),
    ]
    if order.runtime != .varlink {
      mounts.append(.init(kind: .readOnly, source: stdioProgram, destination: Self.stdio))
    }
    command = Self.command(order, program, servedBy: Self.stdio)
    self.mounts = mounts
    environment = Self.environment(
      order, bundle: Self.bundle,
      ["HOME=\(Self.home)", "PATH=\(Self.path)", "TMPDIR=/tmp"] + grants.environment
        + (home.map { ["EXTENSION_USER_HOME=\($0.destination)"] } ?? []))
  }

  /// A directory with few files is given file by file: the launcher copies small files of /etc, which takes less time
  /// than a mount.
  private static func parts(of path: String) -> [String] {
    guard path.hasSuffix(".d"), let directory = try? File.open(path, .directory),
      let entries = try? DirectoryReader.entries(of: directory.rawValue), (1...4).contains(entries.count),
      entries.allSatisfy({ $0.kind == .regular && $0.isText })
    else { return [path] }
    return entries.map { "\(path)/\($0.name)" }.sorted()
  }

  /// An ordinary program has extension-stdio speak for it.
  private static func command(
    _ order: LaunchOrder, _ program: String, servedBy server: String
  ) -> (program: String, arguments: [String]) {
    switch order.runtime {
    case .varlink: (program, order.arguments)
    case .stdio: (server, [program] + order.arguments)
    case .wayland: (server, ["--shown", program] + order.arguments)
    }
  }

  private static let path = "/usr/local/bin:/usr/bin:/bin"

  /// Made from empty.
  private static func environment(_ order: LaunchOrder, bundle: String, _ further: [String]) -> [String] {
    var environment = [
      "EXTENSION_BUNDLE=\(bundle)", "EXTENSION_IDENTIFIER=\(order.extensionIdentifier)",
      "LISTEN_FDNAMES=varlink", "LISTEN_FDS=1",
      // The crash reporter of the runtime needs the toolchain, which the sandbox does not have.
      "SWIFT_BACKTRACE=enable=no",
    ]
    let language = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ"]
    for name in language {
      if let value = CurrentProcess.environment(name) { environment.append("\(name)=\(value)") }
    }
    return (environment + further).sorted()
  }
}
