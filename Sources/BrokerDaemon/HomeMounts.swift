internal import LauncherProtocol
internal import LinuxSystem

/// The person's home, as one sees it that asked for `home`: without what would give away keys, rule the broker, or start
/// programs outside of the sandbox.
///
/// Directories in which one of those lies, or might be made, are read-only, and each thing in them is mounted by itself:
/// what is hidden can be neither made where it is absent, nor uncovered by renaming what it lies in. Links are followed:
/// where `~/.ssh` leads is hidden too.
struct HomeMounts: Sendable {
  /// Mounts that may be sent, and bytes of them: a packet to the launcher is limited.
  private static let limit = (mounts: 800, bytes: 44 << 10)

  private static let keys = [
    ".gnupg", ".local/share/keyrings", ".local/share/kwalletd", ".netrc", ".password-store", ".ssh",
  ]
  /// What others keep there can be anything.
  private static let caches = [".cache"]
  /// From where programs are started without being asked.
  private static let startFiles = [
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".config/autostart",
    ".config/autostart-scripts", ".config/environment.d", ".config/fish", ".config/plasma-workspace",
    ".config/systemd", ".cshrc", ".kshrc", ".local/bin", ".local/share/dbus-1", ".local/share/systemd",
    ".login",
    ".logout", ".mkshrc", ".pam_environment", ".profile", ".tcshrc", ".xinitrc", ".xprofile", ".xsession",
    ".xsessionrc", ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc", "bin",
  ]

  /// Those of the person's own broker, also where this is another one.
  private static let brokers = [
    ".config/extensiond", ".local/share/extensiond", ".local/share/extensiond-containers",
    ".local/share/extensiond-groups", ".local/state/extensiond",
  ]

  private(set) var mounts: [LauncherInterface.Mount] = []
  private var bytes = 0
  /// Where the home is, without links, and where it is mounted.
  private let root: String
  let destination: String
  private var hidden: Set<String> = []
  private var divided: Set<String> = []

  /// Looks through the home; may block. `own`: what belongs to the broker. `moved`: as `Places.moved`.
  init(home: String, own: [String], moved: [(from: String, to: String)]) throws(SandboxGrants.Refusal) {
    guard let root = Self.target(home), root != "/", home != SandboxProfile.home else {
      throw Self.refusal("\(home) is no home that can be shown to it")
    }
    self.root = root
    destination = home
    var paths = own
    for name in Self.keys + Self.caches + Self.startFiles + Self.brokers {
      paths.append(root + "/" + name)
      for (from, to) in moved where name.hasPrefix(from) { paths.append(to + name.dropFirst(from.count)) }
    }
    for path in paths {
      // As it is written, or through a link above it.
      try hide(path.hasPrefix(home + "/") ? root + path.dropFirst(home.count) : path)
    }
    if hidden.contains(root) {
      throw Self.refusal("all of \(home) belongs to extensiond, such as a root does")
    }
    try add(root)
  }

  private static func refusal(_ detail: String) -> SandboxGrants.Refusal {
    .init(stage: "home", detail: "the home cannot be shown to it: \(detail)")
  }

  /// Where a path leads; nil where to nothing.
  private static func target(_ path: String) -> String? {
    guard let file = try? File.open(path, .path) else { return nil }
    return try? File.readLink("/proc/self/fd/\(file.rawValue)")
  }

  private func isInside(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }

  private mutating func hide(_ path: String) throws(SandboxGrants.Refusal) {
    // Those above it, as they are written: where one is absent, the one before it is read-only.
    var above = path
    while isInside(above), above != root, let slash = above.lastIndex(of: "/") {
      above = String(above[..<slash])
      if let target = Self.target(above) { divide(target) }
    }
    if let target = Self.target(path), isInside(target) {
      // What stands for bytes that are no text: nothing could be mounted over it.
      if target.unicodeScalars.contains("\u{FFFD}") {
        throw Self.refusal("\(path) leads to a name that is not UTF-8, and could not be hidden; rename that")
      }
      hidden.insert(target)
      if target != root { divide(String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)])) }
    }
  }

  /// A directory is read-only, and those above it too.
  private mutating func divide(_ path: String) {
    var path = path
    while isInside(path), divided.insert(path).inserted, path != root, let slash = path.lastIndex(of: "/") {
      path = String(path[..<slash])
    }
  }

  private mutating func append(_ kind: LauncherInterface.Mount.Kind, _ source: String?, _ path: String)
    throws(SandboxGrants.Refusal)
  {
    let place = destination + path.dropFirst(root.count)
    bytes += place.utf8.count + (source?.utf8.count ?? 0) + 60
    guard mounts.count < Self.limit.mounts, bytes <= Self.limit.bytes else {
      throw Self.refusal(
        "too much lies directly in it and in its .config and .local/share; at most \(Self.limit.mounts) things can be shown, so move some into folders"
      )
    }
    mounts.append(.init(kind: kind, source: source == place ? nil : source, destination: place))
  }

  private mutating func add(_ path: String) throws(SandboxGrants.Refusal) {
    try append(.readOnly, path, path)
    let entries: [DirectoryReader.Entry]
    do throws(Errno) {
      let directory = try File.open(path, [.directory, .noFollow])
      entries = try DirectoryReader.entries(of: directory.rawValue)
    } catch {
      throw Self.refusal("\(path) cannot be read: \(error)")
    }
    for name in entries.lazy.filter(\.isText).map(\.name).sorted() {
      let child = path + "/" + name
      guard let status = try? FileStatus(at: child) else { continue }
      let isDirectory = status.kind == .directory
      if hidden.contains(child) {
        if isDirectory { try append(.empty, nil, child) } else { try append(.readOnly, "/dev/null", child) }
      } else if divided.contains(child), isDirectory {
        try add(child)
      } else if isDirectory || status.kind == .regular {
        try append(.writable, child, child)
      }
    }
  }
}
