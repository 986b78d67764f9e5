import CBench
import ExtensionFoundation
import LinuxSystem
import Synchronization
import Varlink

// Conversations over a connection that is there already.

extension Bench {
  private static let text = String(repeating: "x", count: 100)

  private struct Echo: EchoInterface.Service {
    func echo(text: String) async throws -> String { text }
  }

  /// What asynchronous work brings to a thread that waits for it.
  private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done: Pipe

    init() throws { done = try Pipe.make() }

    func set(_ value: Result<Value, any Error>) {
      result.withLock { $0 = value }
      try? done.writing.descriptor.write(all: [1])
    }

    func wait() throws -> Value {
      _ = try Poll.readable(done.reading.rawValue)
      guard let result = result.withLock({ $0 }) else { throw Failure(description: "no result came") }
      return try result.get()
    }
  }

  /// Does the work in a task on this executor; nil: on the default one.
  static func wait<Value: Sendable>(
    on executor: (any TaskExecutor)?, _ work: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = try Outcome<Value>()
    Task(executorPreference: executor) {
      do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
    }
    return try outcome.wait()
  }

  private static func connection(over socket: SharedDescriptor) -> AppExtensionConnection {
    AppExtensionConnection(socket, activationID: "bench", sceneID: nil)
  }

  private static func calls(_ connection: AppExtensionConnection, _ count: Int) async throws -> [Double] {
    let proxy = connection.remoteObject(as: EchoInterface.self)
    var times: [Double] = []
    for _ in 0..<count {
      let start = MonotonicTime.now.nanoseconds
      _ = try await proxy.echo(text: text)
      times.append(Double(MonotonicTime.now.nanoseconds - start) / 1000)
    }
    return times
  }

  /// A process of its own that answers in C.
  private static func peerInC() throws -> AppExtensionConnection {
    let socket = unsafe cbench_varlink_start("{\"parameters\":{\"text\":\"\(text)\"}}")
    guard socket >= 0 else { throw Failure(description: "no process can be started") }
    let connection = connection(over: SharedDescriptor(FileDescriptor(owning: socket)))
    connection.resume()
    return connection
  }

  /// A process of its own that answers in Swift: this program again.
  private func peerProcessInSwift() throws -> (AppExtensionConnection, SharedProcess, Int32) {
    let (own, its) = try Socket.pair()
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    let child = try Spawn(
      path: programs + "/extension-bench", arguments: ["--serve"], environment: [],
      descriptors: [null, null, null, its]
    ).run()
    let process = child.processID
    let connection = Self.connection(over: own)
    connection.resume()
    return (connection, SharedProcess(child), process)
  }

  /// What that process does: it answers on descriptor 3 until it is ended.
  static func serve() -> Never {
    guard let socket = FileDescriptor.inherited(3) else { CurrentProcess.exit(64) }
    let connection = connection(over: SharedDescriptor(socket))
    connection.export(Echo(), as: EchoInterface.self)
    connection.invalidationHandler = { _ in CurrentProcess.exit(0) }
    connection.resume()
    while true { CurrentProcess.pause(milliseconds: 1_000_000) }
  }

  /// So many calls of the peer on descriptor 3, and nothing else: for those who count what a call takes.
  static func call(_ count: Int) -> Never {
    guard let socket = FileDescriptor.inherited(3) else { CurrentProcess.exit(64) }
    let connection = connection(over: SharedDescriptor(socket))
    connection.resume()
    do {
      _ = try wait(on: AppExtensionConnection.executor) {
        let proxy = connection.remoteObject(as: EchoInterface.self)
        for _ in 0..<count { _ = try await proxy.echo(text: text) }
      }
    } catch {
      CurrentProcess.printError("extension-bench: \(error)")
      CurrentProcess.exit(1)
    }
    CurrentProcess.exit(0)
  }

  /// Both ends in this process, on the one thread of all connections.
  private static func peerInSwift() throws -> (AppExtensionConnection, AppExtensionConnection) {
    let (first, second) = try Socket.pair()
    let (host, service) = (connection(over: first), connection(over: second))
    service.export(Echo(), as: EchoInterface.self)
    service.resume()
    host.resume()
    return (host, service)
  }

  /// 100 bytes there and back as a typed call.
  func sessionCall() throws -> Row {
    var row = Row(id: "session.call")
    var peers = Peers()
    peers.add("GDBus, both ends in C", to: &row) { try withGDBus() }
    peers.add("Varlink, C to Python", to: &row) { try withPython() }
    row.goals = [.floor(1.5), .variant("both ends in Swift", 2), .variant("default executor", 2.75)]
    let floor = cbench_echo_start()
    let floorPeer = cbench_process(0)
    let connection = try Self.peerInC()
    let (host, service) = try Self.peerInSwift()
    let (other, process, processID) = try peerProcessInSwift()
    _ = try Self.wait(on: nil) { try await Self.calls(other, 1) }
    keepApart(from: [floorPeer, cbench_process(0), processID])
    defer {
      letRun()
      other.invalidate()
      _ = try? Poll.readable(process.rawValue, deadline: .now + .seconds(5))
      _ = try? process.process.reap()
    }
    let own = AppExtensionConnection.executor
    for batch in 0..<60 {
      let floorTimes = (0..<100).map { _ in Double(cbench_round_trip(floor, 100)) / 1000 }
      let times = try Self.wait(on: own) { try await Self.calls(connection, 100) }
      let others = try Self.wait(on: nil) { try await Self.calls(connection, 100) }
      let swift = try Self.wait(on: own) { try await Self.calls(host, 100) }
      let two = try Self.wait(on: own) { try await Self.calls(other, 100) }
      peers.measure(100, into: &row, keep: batch >= 5)
      guard batch >= 5 else { continue }
      row.floor += floorTimes
      row.samples += times
      row.peers["default executor", default: []] += others
      row.peers["both ends in this process", default: []] += swift
      row.peers["both ends in Swift", default: []] += two
    }
    withExtendedLifetime(service) {}
    return row
  }

  /// A thousand connections in one host: the time of a call, threads and descriptors.
  func sessionThousand() throws -> Row {
    var row = Row(id: "session.thousand")
    row.goals = [.floor(1.3)]
    let own = AppExtensionConnection.executor
    let one = try Self.peerInSwift()
    let before = ProcessFacts(CurrentProcess.processID)
    var many: [(AppExtensionConnection, AppExtensionConnection)] = []
    for _ in 0..<1000 { many.append(try Self.peerInSwift()) }
    for (number, pair) in many.enumerated() {
      row.samples += try Self.wait(on: own) { try await Self.calls(pair.0, 5) }
      // As few at once as on the others: the first of them wakes the thread.
      if number % 2 == 0 { row.floor += try Self.wait(on: own) { try await Self.calls(one.0, 5) } }
    }
    let after = ProcessFacts(CurrentProcess.processID)
    row.note =
      "floor: one connection; \(after.threads - before.threads) threads more, "
      + "\(Double(after.descriptors - before.descriptors) / 2000) descriptors and "
      + "\((after.residentKiB - before.residentKiB) / 2000) KiB an end"
    withExtendedLifetime((one, many)) {}
    return row
  }
}
