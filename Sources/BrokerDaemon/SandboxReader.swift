internal import ExtensionInterfaces
internal import LinuxSystem

/// What the kernel says of the sandbox that a program is in: proc(5). For a worker.
struct SandboxReader {
  private static let nameSpaces = ["cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"]
  private static let statusFields = [
    "Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "Seccomp_filters", "CapInh", "CapPrm", "CapEff",
    "CapBnd", "CapAmb",
  ]
  private static let groupLimits = [
    "memory.max", "memory.swap.max", "memory.current", "pids.max", "pids.current", "cpu.weight", "cpu.max",
  ]

  /// The program's directory in /proc.
  private let directory: SharedDescriptor
  private var unreadable: [String] = []

  /// `directory` stays this program's, also when its number is given to another one.
  static func read(
    _ directory: SharedDescriptor, instance: String, processID: Int, landlock: Int?
  ) -> AdminInterface.Sandbox {
    var reader = Self(directory: directory)
    return reader.sandbox(instance, processID, landlock)
  }

  private init(directory: SharedDescriptor) { self.directory = directory }

  private mutating func sandbox(_ instance: String, _ processID: Int, _ landlock: Int?)
    -> AdminInterface.Sandbox
  {
    let (group, groupLimits) = controlGroup()
    return AdminInterface.Sandbox(
      instance: instance, pid: processID, landlock: landlock, status: status(),
      userMap: lines("uid_map").map(Self.words),
      nameSpaces: nameSpaces(), mounts: lines("mountinfo").compactMap(Self.mount), controlGroup: group,
      controlGroupLimits: groupLimits, resourceLimits: resourceLimits(), unreadable: unreadable)
  }

  private mutating func lines(_ file: String) -> [String] {
    guard let bytes = try? File.read(file, limit: 1 << 20, in: directory.rawValue) else {
      unreadable.append(file)
      return []
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Single blanks between the words.
  private static func words(_ line: String) -> String {
    line.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }

  private mutating func status() -> [AdminInterface.Fact] {
    lines("status").compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = String(line[..<colon])
      guard Self.statusFields.contains(name) else { return nil }
      return .init(name: name, value: Self.words(String(line[line.index(after: colon)...])))
    }
  }

  private mutating func nameSpaces() -> [AdminInterface.NameSpace] {
    var found: [AdminInterface.NameSpace] = []
    for name in Self.nameSpaces {
      // One that this kernel does not have.
      guard let ours = try? File.readLink("/proc/self/ns/\(name)") else { continue }
      guard let its = try? File.readLink("ns/\(name)", in: directory.rawValue) else {
        unreadable.append("ns/\(name)")
        continue
      }
      found.append(.init(name: name, own: its != ours))
    }
    return found
  }

  /// A line of mountinfo: number, parent, device, root, mount point, options, any others, "-", type, source, options.
  private static func mount(_ line: String) -> AdminInterface.MountPoint? {
    let words = line.split(separator: " ")
    guard words.count > 9, let dash = words.firstIndex(of: "-"), dash + 3 < words.count else { return nil }
    func has(_ option: Substring, _ options: Substring) -> Bool {
      options.split(separator: ",").contains(option)
    }
    let fileSystem = words[dash + 1]
    let size = words[dash + 3].split(separator: ",").first { $0.hasPrefix("size=") }?.dropFirst(5)
    return .init(
      path: unescaped(words[4]), fileSystem: String(fileSystem),
      readOnly: has("ro", words[5]) || has("ro", words[dash + 3]),
      size: fileSystem == "tmpfs" ? size.flatMap(bytes) : nil)
  }

  private static func bytes(_ text: Substring) -> Int? {
    guard let number = Int(text.prefix { $0.isNumber }) else { return nil }
    let unit = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30][text.last.map(String.init) ?? ""]
    return number * (unit ?? 1)
  }

  /// The kernel writes blanks as \040, and a backslash itself as \134.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(Substring(digits), radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func controlGroup() -> (String?, [AdminInterface.Fact]) {
    guard let line = lines("cgroup").first(where: { $0.hasPrefix("0::") }) else { return (nil, []) }
    let path = String(line.dropFirst(3))
    guard let root = ControlGroup.root, let group = try? ControlGroup(path: root + path) else {
      return (path, [])
    }
    // Without controllers there are no such files.
    return (
      path, Self.groupLimits.compactMap { name in group.read(name).map { .init(name: name, value: $0) } }
    )
  }

  /// Names in the first 26 columns, then two numbers of at most 21.
  private mutating func resourceLimits() -> [AdminInterface.Fact] {
    lines("limits").dropFirst().map { line in
      let values = line.dropFirst(26).split(separator: " ")
      let (soft, hard) = (
        values.first.map(String.init) ?? "", values.dropFirst().first.map(String.init) ?? ""
      )
      return .init(
        name: Self.words(String(line.prefix(26))), value: soft == hard ? soft : "\(soft) (at most \(hard))")
    }
  }
}
