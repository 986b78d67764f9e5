internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

/// The broker's side of the connection, waiting for each answer.
final class TestBroker {
  typealias Event = LauncherEventsInterface.Call
  struct Refusal: Error {
    let name: String
    let parameters: JSONObject
  }
  struct Closed: Error {}

  let socket: SharedDescriptor
  private var events: [(event: Event, descriptors: [SharedDescriptor])] = []
  private var number = 0
  private let deadline = MonotonicTime.now + TestLauncher.deadline

  init(path: String) throws { socket = SharedDescriptor(try Socket.connect(to: path, .packets)) }

  @discardableResult
  func hello(_ generation: String = "g1") throws -> LauncherInterface.Hello.Reply {
    try call {
      LauncherInterface.Hello(request: $0, protocol: LauncherPacket.version, generation: generation)
    }.reply
  }

  @discardableResult
  func call<Method: VarlinkMethod>(
    descriptors: [SharedDescriptor] = [], _ make: (String) -> Method
  ) throws -> (reply: Method.Reply, descriptors: [SharedDescriptor]) {
    number += 1
    let request = "r.\(number)"
    _ = try Socket.send(
      make(request).call().encoded().dropLast(), descriptors: descriptors, to: socket.rawValue)
    while true {
      let (packet, descriptors) = try receive()
      guard let reply = try? VarlinkReply(decoding: packet) else {
        try keep(packet, descriptors)
        continue
      }
      guard reply.error == nil else { throw Refusal(name: reply.error ?? "", parameters: reply.parameters) }
      guard reply.parameters["answers"] == .string(request) else {
        throw TestFailure("an answer to something else")
      }
      return (try Method.Reply(object: reply.parameters, unknownMembers: .refused), descriptors)
    }
  }

  /// The next event for which `select` finds something.
  func next<Result>(_ select: (Event, [SharedDescriptor]) -> Result?) throws -> Result {
    while true {
      for (index, kept) in events.enumerated() {
        guard let result = select(kept.event, kept.descriptors) else { continue }
        events.remove(at: index)
        return result
      }
      let (packet, descriptors) = try receive()
      try keep(packet, descriptors)
    }
  }

  func ended(_ instance: String = "i1") throws -> LauncherEventsInterface.Ended {
    try next { event, _ in
      if case .ended(let end) = event, end.instance == instance { end } else { nil }
    }
  }

  func output(containing text: String) throws {
    try next { event, _ in
      if case .output(let output) = event, output.lines.contains(text) { () } else { nil }
    }
  }

  func receive() throws -> ([UInt8], [SharedDescriptor]) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    guard try Poll.readable(socket.rawValue, deadline: deadline) else {
      throw TestFailure("nothing came in time")
    }
    let got = try Socket.receive(into: &buffer, from: socket.rawValue, maximumDescriptors: 8)
    guard got.count > 0 else { throw Closed() }
    return (Array(buffer[..<got.count]), got.descriptors)
  }

  private func keep(_ packet: [UInt8], _ descriptors: [SharedDescriptor]) throws {
    guard let event = try LauncherEventsInterface.Call(VarlinkCall(decoding: packet)) else {
      throw TestFailure("an event that nobody knows")
    }
    events.append((event, descriptors))
  }
}

/// What a launch gives.
struct Launched {
  let control: SharedDescriptor
  let process: SharedDescriptor

  /// The instance's end of the control socket is closed, in every process.
  var controlHasEnded: Bool {
    get throws {
      guard try Poll.readable(control.rawValue, deadline: .now + TestLauncher.deadline) else { return false }
      return try control.descriptor.read(upTo: 1).isEmpty
    }
  }

  func processHasEnded() throws -> Bool {
    try Poll.readable(process.rawValue, deadline: .now + TestLauncher.deadline)
  }
}

extension TestBroker {
  private static let system: [LauncherInterface.Mount] = {
    var mounts: [LauncherInterface.Mount] = [
      .init(kind: .empty, destination: "/"),
      .init(kind: .readOnly, source: "/usr", destination: "/usr"),
      .init(kind: .processes, source: nil, destination: "/proc"),
      .init(kind: .devices, source: nil, destination: "/dev"),
      .init(kind: .temporary, source: nil, destination: "/tmp"),
      .init(kind: .temporary, source: nil, destination: "/run"),
    ]
    for name in ["bin", "lib", "lib64"] {
      mounts.append(.init(kind: .link, source: "usr/\(name)", destination: "/\(name)"))
    }
    return mounts
  }()

  @discardableResult
  func launch(
    _ instance: String = "i1", program: String, _ arguments: [String] = [], environment: [String] = [],
    directory: String = "/tmp", sandboxed: Bool = true, mounts: [LauncherInterface.Mount] = [],
    limits: LauncherInterface.ResourceLimits = .init(openFiles: nil, fileSize: nil, coreSize: nil),
    stopped: Bool? = nil, nestedSandbox: Bool? = nil, note: String = "note", bundle: SharedDescriptor? = nil
  ) throws -> Launched {
    let (_, descriptors) = try call(descriptors: bundle.map { [$0] } ?? []) {
      LauncherInterface.Launch(
        request: $0, instance: instance, extension: "org.example.Extension",
        extensionPoint: "org.example.Point",
        program: program, arguments: arguments, environment: environment, directory: directory,
        sandboxed: sandboxed, mounts: Self.system + mounts, nestedSandbox: nestedSandbox, resources: limits,
        stopped: stopped, note: note)
    }
    guard descriptors.count == 2 else { throw TestFailure("\(descriptors.count) descriptors") }
    return Launched(control: descriptors[0], process: descriptors[1])
  }

  /// A line for the shell.
  @discardableResult
  func shell(_ line: String, _ instance: String = "i1", sandboxed: Bool = true) throws -> Launched {
    try launch(
      instance, program: "/bin/sh", ["-c", line], environment: ["PATH=/usr/bin:/bin"], sandboxed: sandboxed)
  }

  /// Keeps the launcher's end of a lease; gives the host's.
  func lease(_ activation: String, of instance: String = "i1") throws -> SharedDescriptor {
    let (host, kept) = try Socket.pair()
    try call(descriptors: [kept]) {
      LauncherInterface.Lease(request: $0, activation: activation, instance: instance, note: "lease note")
    }
    return host
  }
}
