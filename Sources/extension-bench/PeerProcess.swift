import LinuxSystem

/// What one would use instead, measured in a process of its own. Sources/bench-peers/measure.h says how it is asked.
final class PeerProcess {
  private let process: SharedProcess
  /// Its standard input and output.
  private let socket: SharedDescriptor
  /// Its standard error.
  private let log: String
  private var received: [UInt8] = []
  private var hasEnded = false

  init(_ command: [String], environment: [String], log: String) throws {
    (process, socket) = try Self.start(command, environment, log)
    self.log = log
    do {
      // A session has to be set up first.
      guard try line() == "ready" else {
        throw Bench.Failure(description: "it said something else than ready")
      }
    } catch {
      end()
      throw error
    }
  }

  deinit { end() }

  /// Its end of the socket is closed here when this returns, so that its death is seen.
  private static func start(_ command: [String], _ environment: [String], _ log: String) throws
    -> (SharedProcess, SharedDescriptor)
  {
    let (own, its) = try Socket.pair()
    let errors = SharedDescriptor(try File.open(log, [.writeOnly, .create, .append]))
    let child = try Spawn(
      path: command[0], arguments: Array(command.dropFirst()),
      environment: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"] + environment,
      descriptors: [its, its, errors]
    ).run()
    return (SharedProcess(child), own)
  }

  /// Microseconds.
  func measure(_ count: Int) throws -> [Double] {
    try socket.descriptor.write(all: Array("\(count)\n".utf8))
    let times = try line().split(separator: " ").compactMap { Double($0) }
    guard times.count == count else { throw Bench.Failure(description: "it measured something else") }
    return times.map { $0 / 1000 }
  }

  private func line() throws -> String {
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard try Poll.readable(socket.rawValue, deadline: .now + .seconds(60)) else {
        throw Bench.Failure(description: "it did not answer in a minute")
      }
      let part = try socket.descriptor.read(upTo: 65536)
      guard !part.isEmpty else { throw Bench.Failure(description: lastWords) }
      received += part
    }
  }

  private var lastWords: String {
    let text = String(decoding: (try? File.read(log, limit: 1 << 20)) ?? [], as: UTF8.self)
    return text.split(separator: "\n").last.map(String.init) ?? "it ended"
  }

  /// It ends with its input, and takes with it what it has started.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    Socket.shutdown(socket.descriptor)
    if (try? Poll.readable(process.rawValue, deadline: .now + .seconds(30))) != true {
      process.send(signal: Signals.terminate)
      _ = try? Poll.readable(process.rawValue, deadline: .now + .seconds(10))
    }
    _ = try? process.process.reap()
  }
}

/// The peers of a row. One that cannot be measured is told in the row, with the reason.
struct Peers {
  private var processes: [(name: String, process: PeerProcess)] = []

  mutating func add(_ name: String, to row: inout Row, _ start: () throws -> PeerProcess) {
    do { processes.append((name, try start())) } catch { row.absent[name] = "\(error)" }
  }

  /// Lets each one measure. What is only to warm up is not kept.
  mutating func measure(_ count: Int, into row: inout Row, keep: Bool = true) {
    for (name, process) in processes {
      do {
        let times = try process.measure(count)
        if keep { row.peers[name, default: []] += times }
      } catch {
        row.peers[name] = nil
        row.absent[name] = "\(error)"
        processes.removeAll { $0.name == name }
      }
    }
  }
}
