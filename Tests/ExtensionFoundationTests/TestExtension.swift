internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

@testable internal import ExtensionFoundation

/// An extension's program, started as the launcher starts it, with this test in the broker's place.
final class TestExtension {
  static let deadline: Duration = .seconds(120)

  enum Program: String, CaseIterable {
    case greeting = "greeting-extension"
    case python = "python-greeting.appex/main.py"
    case probe = "probe-extension"

    var path: String {
      get throws {
        if self == .python { return "Sources/Examples/python-greeting/" + rawValue }
        let places = [
          CurrentProcess.environment("EXTENSIOND_BUILD"), CurrentProcess.programDirectory, ".build/debug",
        ]
        guard let found = places.compactMap({ $0 }).first(where: { File.exists("\($0)/\(rawValue)") }) else {
          throw TestFailure("no \(rawValue) is built; set EXTENSIOND_BUILD to the directory that holds it")
        }
        return "\(found)/\(rawValue)"
      }
    }

    var point: String {
      self == .probe ? "org.example.tests.Probe" : "io.extensiond.example.host.Greeting"
    }
  }

  private let program: Program
  private let child: SharedProcess
  private let errors: SharedDescriptor
  private var client: VarlinkClient?

  /// `passesSocket`: false starts it as a person would, by hand.
  init(_ program: Program, passesSocket: Bool = true) throws {
    self.program = program
    let (ours, theirs) = try Socket.pair()
    let output = try Pipe.make()
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    // The process's number is known only in the process.
    let assignment = passesSocket ? "LISTEN_PID=$$" : ""
    child = SharedProcess(
      try Spawn(
        path: "/bin/sh", arguments: ["-c", "\(assignment) exec \"$0\"", try program.path],
        environment: [
          "PATH=/usr/bin:/bin", "LISTEN_FDS=1", "LISTEN_FDNAMES=varlink", "SWIFT_BACKTRACE=enable=no",
        ],
        descriptors: [null, null, output.writing] + (passesSocket ? [theirs] : [])
      ).run())
    errors = output.reading
    client = VarlinkClient(socket: ours)
  }

  deinit {
    child.send(signal: Signals.kill)
    _ = try? child.process.reap()
  }

  func call<Method: VarlinkMethod>(_ method: Method, _ descriptors: [SharedDescriptor] = []) throws
    -> Method.Reply
  {
    guard let client else { throw TestFailure("the socket is closed") }
    return try client.call(method, descriptors: descriptors, timeout: Self.deadline).reply
  }

  @discardableResult
  func start(point: String? = nil) throws -> ExtensionInterface.Start.Reply {
    try call(
      ExtensionInterface.Start(
        call: "g.1", extension: "org.example.extension", extensionPoint: point ?? program.point,
        context: JSONObject()))
  }

  /// The host's end of a connection that the extension has accepted.
  func accept(scene: String? = nil) throws -> TestConnection {
    let (ours, theirs) = try Socket.pair()
    let reply = try call(
      ExtensionInterface.AcceptConnection(
        call: "g.2", connectionFileDescriptor: 0, activation: "a7", scene: scene, context: JSONObject()),
      [theirs])
    guard reply.answers == "g.2" else { throw TestFailure("another call was answered: \(reply.answers)") }
    return TestConnection(socket: ours)
  }

  func stop() throws -> ExtensionInterface.Stop.Reply {
    try call(ExtensionInterface.Stop(call: "g.3", context: JSONObject()))
  }

  func closeSocket() { client = nil }

  /// How it ended, and what it wrote to standard error.
  func end() throws -> (status: ProcessDescriptor.End?, errors: String) {
    guard try Poll.readable(child.rawValue, deadline: .now + Self.deadline) else {
      throw TestFailure("the extension does not end")
    }
    let status = try child.process.reap()
    return (status, String(decoding: try errors.descriptor.readToEnd(limit: 1 << 16), as: UTF8.self))
  }
}

/// The host's end of a connection, without the SDK.
struct TestConnection {
  let socket: SharedDescriptor

  func ask(_ line: String) throws -> String {
    _ = try Socket.send(Array((line + "\n").utf8)[...], to: socket.rawValue)
    var answer: [UInt8] = []
    while answer.last != UInt8(ascii: "\n") {
      guard try Poll.readable(socket.rawValue, deadline: .now + TestExtension.deadline) else {
        throw TestFailure("no answer to \(line)")
      }
      let more = try socket.descriptor.read(upTo: 4096)
      guard !more.isEmpty else { throw TestFailure("the connection is closed") }
      answer += more
    }
    return String(decoding: answer.dropLast(), as: UTF8.self)
  }
}

/// One end of a connection that no broker has made.
func connection(over socket: SharedDescriptor) -> AppExtensionConnection {
  AppExtensionConnection(socket, activationID: "a", sceneID: nil)
}

/// The code of the error that work ends with; nil where it ends well, or with another kind of error.
func errorCode(of work: () async throws -> Void) async -> AppExtensionError.Code? {
  do {
    try await work()
    return nil
  } catch {
    return (error as? AppExtensionError)?.code
  }
}

struct TestFailure: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
