import ExtensionInterfaces
import LinuxSystem
import Varlink

/// A broker of its own, in directories of its own, with one approved extension.
final class Bench {
  static let point = "io.extensiond.bench.host.Point"
  static let identifier = "io.extensiond.bench.extension"

  let place: String
  let programs: String
  private let environment: [String]
  private(set) var broker: BenchBroker?
  var peerCount = 0

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// `environment`: what its broker gets beside.
  init(_ name: String = "", environment: [String] = []) throws {
    let own = try File.readLink("/proc/self/exe")
    programs = String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    place = "/tmp/extensiond-bench.\(CurrentProcess.processID)\(name)"
    self.environment = environment
    // Peers run as another user.
    try File.makeDirectory(place, mode: 0o755)
    for directory in ["/home", "/run"] { try File.makeDirectory(place + directory) }
    try File.makeDirectories(root)
    try addHost(in: root)
    try addBundle(
      "Bench", Self.identifier, program: File.read(programs + "/bench-extension", limit: 64 << 20))
  }

  func addHost(in directory: String) throws {
    try write(
      Self.plist(["CFBundleIdentifier": "io.extensiond.bench.host", "CFBundleName": "Host"]),
      to: directory + "/Host.app/Info.plist")
    try write(
      Self.document("<key>\(Self.point)</key><dict><key>Scope</key><string>none</string></dict>"),
      to: directory + "/Host.app/Extensions/p.appextensionpoint")
  }

  var root: String { place + "/home/.local/share/extensiond" }

  func addBundle(_ name: String, _ identifier: String, program: [UInt8], in directory: String? = nil) throws {
    let bundle = "\(directory ?? root)/\(name).appex"
    let keys = [
      "CFBundleIdentifier": identifier, "CFBundleExecutable": "main", "CFBundleName": name,
      "CFBundleShortVersionString": "1.0",
    ]
    let binding =
      "<key>EXAppExtensionAttributes</key><dict><key>EXExtensionPointIdentifier</key><string>\(Self.point)</string></dict>"
    try write(Self.plist(keys, binding), to: bundle + "/Info.plist")
    try File.open(bundle + "/main", [.writeOnly, .create], mode: 0o755).write(all: program)
  }

  func write(_ text: String, to path: String) throws {
    try File.makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    try File.open(path, [.writeOnly, .create], mode: 0o644).write(all: Array(text.utf8))
  }

  private static func plist(_ keys: [String: String], _ more: String = "") -> String {
    document(
      keys.sorted { $0.key < $1.key }.map { "<key>\($0.key)</key><string>\($0.value)</string>" }.joined()
        + more)
  }

  private static func document(_ content: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(content)</dict></plist>\n"
  }

  // MARK: The broker

  @discardableResult
  func startBroker() throws -> BenchBroker {
    let broker = try BenchBroker(programs: programs, place: place, more: environment, keepingLog: true)
    self.broker = broker
    try broker.waitUntilReachable()
    return broker
  }

  var brokerID: Int32 { broker?.processID ?? 0 }

  func socket(_ name: String) -> String { BenchBroker.socket(name, in: place) }

  func admin() throws -> VarlinkClient { try BenchBroker.admin(in: place) }

  func host() throws -> VarlinkClient { try BenchBroker.host(in: place) }

  func approve() throws { try approve(by: admin()) }

  func approve(_ identifier: String = Bench.identifier, by admin: VarlinkClient) throws {
    let found = try admin.call(AdminInterface.List(extension: identifier), timeout: .seconds(60)).reply
      .extensions
    guard let item = found.first, let digest = item.digest else {
      throw Failure(description: "\(identifier) was not found")
    }
    _ = try admin.call(AdminInterface.Approve(extension: item.path, digest: digest, entitlements: []))
  }

  /// The launcher's process.
  func launcher() throws -> Int32 {
    for _ in 0..<500 {
      if let process = try admin().call(AdminInterface.Status()).reply.launcherPid { return Int32(process) }
      CurrentProcess.pause(milliseconds: 10)
    }
    throw Failure(description: "no launcher came")
  }

  /// Returns when nothing runs any more.
  func waitUntilIdle(_ admin: VarlinkClient) throws {
    while try !admin.call(AdminInterface.ListInstances(), timeout: .seconds(20)).reply.instances.isEmpty {
      CurrentProcess.pause(milliseconds: 1)
    }
  }

  func end() {
    broker?.end()
    try? File.removeTree(place)
  }
}
