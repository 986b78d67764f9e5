internal import ExtensionInterfaces
internal import LauncherProtocol
internal import LinuxSystem

/// What the entitlements of an extension add to its sandbox. docs/bundles.md lists them for authors.
struct SandboxGrants: Sendable {
  /// Nothing is started without what was agreed to.
  struct Refusal: Error, Hashable {
    let stage: String
    let errno: Int?
    /// What is missing, and what to do; one sentence.
    let detail: String?

    init(stage: String, errno: Int? = nil, detail: String? = nil) {
      self.stage = stage
      self.errno = errno
      self.detail = detail
    }
  }

  /// Where the containers of groups are inside.
  static let groups = "/groups"
  private static let runtime = "/run"

  var mounts: [LauncherInterface.Mount] = []
  var environment: [String] = []
  var network: LauncherInterface.Launch.Network?
  /// Names on the session bus.
  var destinations: [String] = []
  var allowsNestedSandbox = false
  var isSandboxed = true
  /// The person's home is mounted, as `HomeMounts` says.
  var includesHome = false

  /// `isShown`: it may get a display.
  init(_ lines: [String], places: Places, isShown: Bool = false) throws(Refusal) {
    var simple: Set<Entitlement.Simple> = []
    for line in lines {
      switch Entitlement(line) {
      case .simple(let one): simple.insert(one)
      case .appGroup(let group): try addGroup(group, places)
      case .sessionBus(let name): destinations.append(name.text)
      case nil:
        throw Refusal(
          stage: "entitlements", detail: "\(line) is not known; 'extctl rescan' reads the bundle again")
      }
    }
    if simple.contains(.none) {
      isSandboxed = false
      mounts = []
      destinations = []
      environment = Self.sessionEnvironment(isShown: isShown) + (isShown ? Self.toolkits : [])
      if lines.contains(where: { $0.hasPrefix(Entitlement.groups) }) {
        environment.append("EXTENSION_GROUPS=\(places.groups)")
      }
      return
    }
    addNetwork(client: simple.contains(.networkClient), server: simple.contains(.networkServer))
    includesHome = simple.contains(.home)
    allowsNestedSandbox = simple.contains(.nestedSandbox)
    if !destinations.isEmpty { environment.append("DBUS_SESSION_BUS_ADDRESS=unix:path=\(SessionBus.socket)") }
    if simple.contains(.wayland) { try addWindows() }
    if simple.contains(.gpu) { try addGraphics() }
    if simple.contains(.audio) { try addAudio() }
    if isShown { addDisplay() }
    if isShown || simple.contains(.wayland) || simple.contains(.audio) {
      environment.append("XDG_RUNTIME_DIR=\(Self.runtime)")
    }
    if lines.contains(where: { $0.hasPrefix(Entitlement.groups) }) {
      environment.append("EXTENSION_GROUPS=\(Self.groups)")
    }
  }

  /// What this machine cannot give without giving more; nil where it can. `landlock`: the kernel's level.
  static func incompatibility(of lines: [String], landlock: Int) -> String? {
    let asked = lines.compactMap(Entitlement.init)
    let network = [.networkClient, .networkServer].filter { asked.contains(.simple($0)) }
    guard !network.isEmpty, !asked.contains(.simple(.none)), landlock < Landlock.closesAbstractSockets else {
      return nil
    }
    return
      "\(network.map(\.rawValue).joined(separator: " and ")) needs Landlock \(Landlock.closesAbstractSockets) (Linux 6.12), this kernel has \(landlock == 0 ? "none" : "\(landlock)"): with the network it would get the desktop's abstract sockets too, X11 among them; a newer kernel mends it"
  }

  // MARK: Groups

  private mutating func addGroup(_ group: String, _ places: Places) throws(Refusal) {
    let path = places.groups + "/" + group
    do throws(Errno) {
      try File.makeDirectories(path)
      // A link would let the group be anything.
      guard try FileStatus(at: path).kind == .directory else { throw .notDirectory }
    } catch {
      throw Refusal(
        stage: "app-groups",
        detail: "the folder of the group, \(path), cannot be made: \(error); move away what is there")
    }
    mounts.append(.init(kind: .writable, source: path, destination: Self.groups + "/" + group))
  }

  // MARK: Network

  /// What programs look up before they talk to the network.
  private static let networkFiles = [
    "/etc/ca-certificates", "/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/pki", "/etc/protocols",
    "/etc/resolv.conf", "/etc/services", "/etc/ssl/openssl.cnf",
  ]

  private mutating func addNetwork(client: Bool, server: Bool) {
    guard client || server else { return }
    network = client && server ? .both : client ? .client : .server
    for path in Self.networkFiles where File.exists(path) {
      // It may be a link that leads nowhere.
      guard (try? File.open(path, .path)) != nil else { continue }
      mounts.append(.init(kind: .readOnly, source: path, destination: path))
    }
  }

  // MARK: The desktop

  private static func session(_ variable: String) -> String? {
    CurrentProcess.environment(variable).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A socket in the session's directory, unless the name is a whole path.
  private static func socket(_ name: String) -> String? {
    let path = name.hasPrefix("/") ? name : (session("XDG_RUNTIME_DIR") ?? "") + "/" + name
    return (try? FileStatus(at: path, followLinks: true))?.kind == .socket ? path : nil
  }

  private mutating func addWindows() throws(Refusal) {
    guard let name = Self.session("WAYLAND_DISPLAY"), let path = Self.socket(name) else {
      throw Refusal(
        stage: "wayland",
        detail:
          "there is no Wayland session that extensiond knows of; 'systemctl --user import-environment WAYLAND_DISPLAY' tells it, then restart extensiond.service"
      )
    }
    mounts.append(.init(kind: .readOnly, source: path, destination: Self.runtime + "/wayland-0"))
    environment.append("WAYLAND_DISPLAY=wayland-0")
  }

  /// For whoever is shown by its host: GTK, Qt and SDL take Wayland, and draw into memory, since the host's compositor
  /// takes nothing else.
  private static let toolkits = [
    "GDK_BACKEND=wayland", "GSK_RENDERER=cairo", "QT_QPA_PLATFORM=wayland", "SDL_VIDEODRIVER=wayland",
  ]

  /// The settings of the machine for toolkits, and the lists of its fonts, which are long in the making.
  private static let toolkitFiles = ["/etc/gtk-3.0", "/etc/gtk-4.0", "/var/cache/fontconfig"]

  private mutating func addDisplay() {
    environment += Self.toolkits
    for path in Self.toolkitFiles where File.exists(path) {
      mounts.append(.init(kind: .readOnly, destination: path))
    }
  }

  private mutating func addGraphics() throws(Refusal) {
    guard File.exists("/dev/dri") else {
      throw Refusal(
        stage: "gpu", detail: "this machine has no graphics processor that can be shared, /dev/dri")
    }
    let nvidia =
      ["/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm"] + (0..<4).map { "/dev/nvidia\($0)" }
    for path in ["/dev/dri"] + nvidia where File.exists(path) {
      mounts.append(.init(kind: .device, source: path, destination: path))
    }
    // Where the driver's name and the kind of the card are looked up.
    for path in ["/sys/dev/char", "/sys/devices", "/sys/class/drm"] where File.exists(path) {
      mounts.append(.init(kind: .readOnly, source: path, destination: path))
    }
  }

  private mutating func addAudio() throws(Refusal) {
    var found = false
    for name in ["pipewire-0", "pulse/native"] {
      guard let path = Self.socket(name) else { continue }
      found = true
      mounts.append(.init(kind: .readOnly, source: path, destination: Self.runtime + "/" + name))
    }
    guard found else {
      throw Refusal(
        stage: "audio", detail: "neither PipeWire nor PulseAudio runs in this session; start one of them")
    }
  }

  // MARK: No sandbox

  /// What a program outside of any sandbox gets of the session's environment. Not all of it: tokens are kept there too.
  private static let sessionVariables = [
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "LOGNAME", "PATH", "SHELL", "SSH_AUTH_SOCK", "USER",
    "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME",
    "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE",
    "XDG_STATE_HOME",
  ]

  /// Who is shown by its host shall open no windows elsewhere. With the name of a desktop Qt loads what opens a
  /// connection of its own to the display.
  private static let windowVariables = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP"]

  private static func sessionEnvironment(isShown: Bool) -> [String] {
    sessionVariables.filter { !isShown || !windowVariables.contains($0) }
      .compactMap { name in session(name).map { "\(name)=\($0)" } }
  }
}
