internal import LinuxSystem

/// Where things are: the XDG base directories, and the sockets.
struct Places: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let home: String
  let runtime: String
  let state: String
  let cache: String
  let data: String
  let containers: String
  /// Of app groups.
  let groups: String
  let roots: [String]
  let launcherProgram: String
  let initProgram: String
  let stdioProgram: String

  /// The machine's, and directories that EXTENSIOND_POLICY_PATH adds.
  var policy: PolicyReader {
    PolicyReader(further: Self.list(CurrentProcess.environment("EXTENSIOND_POLICY_PATH") ?? ""))
  }

  var brokerSocket: String { runtime + "/broker/io.extensiond.Broker" }
  var adminSocket: String { runtime + "/admin/io.extensiond.Admin" }
  var launcherSocket: String { runtime + "/launcher/io.extensiond.Launcher" }
  var digests: String { cache + "/digests.sqlite" }
  var decisions: String { state + "/decisions.sqlite" }

  /// What nobody but the broker and its kind may touch.
  var own: [String] { [runtime, state, cache, containers, groups, data + "/extensiond"] + roots }

  /// Where the person keeps what belongs into these directories of the home.
  static var moved: [(from: String, to: String)] {
    [(".config", "XDG_CONFIG_HOME"), (".local/share", "XDG_DATA_HOME"), (".local/state", "XDG_STATE_HOME")]
      .compactMap { name, variable in
        guard let path = CurrentProcess.environment(variable), path.hasPrefix("/") else { return nil }
        return (name + "/", path + "/")
      }
  }

  init() throws(Failure) {
    guard let runtime = CurrentProcess.environment("XDG_RUNTIME_DIR") else {
      throw Failure(
        description:
          "XDG_RUNTIME_DIR is not set; log in through a session manager, or set it to a directory of your own with mode 0700"
      )
    }
    guard let home = CurrentProcess.environment("HOME") else {
      throw Failure(description: "HOME is not set; set it to your home directory")
    }
    func base(_ variable: String, _ standard: String) -> String {
      // Relative paths are to be ignored: XDG Base Directory Specification.
      let value = CurrentProcess.environment(variable) ?? ""
      return value.hasPrefix("/") ? value : home + standard
    }
    self.home = home
    self.runtime = runtime + "/extensiond"
    state = base("XDG_STATE_HOME", "/.local/state") + "/extensiond"
    cache = base("XDG_CACHE_HOME", "/.cache") + "/extensiond"
    data = base("XDG_DATA_HOME", "/.local/share")
    containers = data + "/extensiond-containers"
    groups = data + "/extensiond-groups"
    launcherProgram = Self.program("extensiond-launcher", "EXTENSIOND_LAUNCHER")
    initProgram = Self.program("extension-init", "EXTENSIOND_INIT")
    stdioProgram = Self.program("extension-stdio", "EXTENSIOND_STDIO")
    var roots = Self.list(CurrentProcess.environment("EXTENSIOND_PATH") ?? "")
    roots.append(data + "/extensiond")
    let shared = Self.list(CurrentProcess.environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
    roots += shared.map { $0 + "/extensiond" }
    roots += ["/usr/local/lib/extensiond", "/usr/lib/extensiond"]
    var seen: Set<String> = []
    self.roots = roots.filter { seen.insert($0).inserted }
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ":").filter { $0.hasPrefix("/") }.compactMap { path in
      // Paths are compared as texts.
      path.lastIndex { $0 != "/" }.map { String(path[...$0]) }
    }
  }

  /// All in one directory of its own, and no roots but one.
  init(ephemeral root: String, in directory: String) {
    home = CurrentProcess.environment("HOME") ?? directory
    runtime = directory + "/extensiond"
    state = directory + "/state"
    cache = directory + "/cache"
    data = directory + "/data"
    containers = data + "/extensiond-containers"
    groups = data + "/extensiond-groups"
    roots = [root]
    launcherProgram = Self.program("extensiond-launcher", "EXTENSIOND_LAUNCHER")
    initProgram = Self.program("extension-init", "EXTENSIOND_INIT")
    stdioProgram = Self.program("extension-stdio", "EXTENSIOND_STDIO")
  }

  /// Beside this program, unless a variable says where.
  private static func program(_ name: String, _ variable: String) -> String {
    if let path = CurrentProcess.environment(variable) { return path }
    let own = (try? File.readLink("/proc/self/exe")) ?? ""
    return String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)]) + "/" + name
  }
}
