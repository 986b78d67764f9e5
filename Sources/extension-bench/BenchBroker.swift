import ExtensionInterfaces
import LinuxSystem
import Varlink

/// A broker that runs, in directories of its own: `home` and `run` in its place.
final class BenchBroker {
  let place: String
  let processID: Int32
  private let process: SharedProcess

  /// Returns when it is started, which is before it can be reached.
  /// - Parameter more: What its environment has beside that of every benchmark's broker.
  init(programs: String, place: String, more: [String] = [], keepingLog: Bool = false) throws {
    self.place = place
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    let log =
      keepingLog ? SharedDescriptor(try File.open(place + "/log", [.writeOnly, .create, .append])) : null
    let child = try Spawn(
      path: programs + "/extensiond", arguments: [], environment: Self.environment(place) + more,
      descriptors: [null, log, log]
    ).run()
    processID = child.processID
    process = SharedProcess(child)
  }

  static func environment(_ place: String) -> [String] {
    [
      "HOME=\(place)/home", "XDG_RUNTIME_DIR=\(place)/run", "XDG_DATA_DIRS=\(place)/none",
      "PATH=/usr/bin:/bin", "EXTENSIOND_LAUNCHES_PER_MINUTE=1000000",
    ]
  }

  /// Directories for a broker that is not there yet. Returns the root in which it finds bundles.
  static func prepare(_ place: String) throws -> String {
    let root = place + "/home/.local/share/extensiond"
    try File.makeDirectories(place + "/run")
    try File.makeDirectories(root)
    return root
  }

  func waitUntilReachable() throws {
    for _ in 0..<10_000 {
      if (try? Socket.connect(to: socket("admin/io.extensiond.Admin"))) != nil { return }
      CurrentProcess.pause(milliseconds: 1)
    }
    throw Bench.Failure(description: "the broker in \(place) did not start")
  }

  static func socket(_ name: String, in place: String) -> String { "\(place)/run/extensiond/\(name)" }

  static func admin(in place: String) throws -> VarlinkClient {
    try VarlinkClient(path: socket("admin/io.extensiond.Admin", in: place))
  }

  static func host(in place: String) throws -> VarlinkClient {
    let client = try VarlinkClient(path: socket("broker/io.extensiond.Broker", in: place))
    _ = try client.call(
      BrokerInterface.Hello(hostIdentifier: "io.extensiond.bench.host"), timeout: .seconds(60))
    return client
  }

  func socket(_ name: String) -> String { Self.socket(name, in: place) }

  func admin() throws -> VarlinkClient { try Self.admin(in: place) }

  func host() throws -> VarlinkClient { try Self.host(in: place) }

  /// Nanoseconds that all its threads have run.
  var runNanoseconds: UInt64 { ProcessFacts.runNanoseconds(of: processID) }

  func end() {
    process.send(signal: Signals.terminate)
    _ = try? Poll.readable(process.rawValue, deadline: .now + .seconds(10))
    _ = try? process.process.reap()
  }
}
