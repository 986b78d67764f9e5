import CBench
import ExtensionInterfaces
import LauncherProtocol
import LinuxSystem
import Varlink

// What the launcher costs without a sandbox. The broker starts nothing without one, so this row asks a launcher itself.

extension Bench {
  func activationCold() throws -> Row {
    var row = Row(id: "activation.cold")
    var peers = activationPeers(&row)
    let launcher = try BenchLauncher(programs: programs, directory: place + "/cold")
    defer { launcher.end() }
    let program = root + "/Bench.appex/main"
    for number in 0..<60 {
      row.floor.append(Self.spawn(program, [program], Self.startMessage))
      row.samples.append(try Self.time { try launcher.start(program, instance: "i\(number)") })
      try launcher.stop("i\(number)")
      peers.measure(1, into: &row)
    }
    row.note =
      "a launcher without its sandbox, from Launch to the answer to Start; floor: the bare program by posix_spawn"
    return row
  }
}

/// A launcher of the benchmark's own, and the broker's side of it.
private final class BenchLauncher {
  private let process: SharedProcess
  private let socket: SharedDescriptor
  private var number = 0
  private var control: VarlinkClient?

  init(programs: String, directory: String) throws {
    try File.makeDirectory(directory)
    let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
    let ready = try Pipe.make()
    process = SharedProcess(
      try Spawn(
        path: programs + "/extension-init",
        arguments: ["--guard", programs + "/extensiond-launcher", "--ready-fd", "3"],
        environment: ["XDG_RUNTIME_DIR=\(directory)", "EXTENSIOND_INIT=\(programs)/extension-init"],
        descriptors: [null, null, null, ready.writing]
      ).run())
    guard try Poll.readable(ready.reading.rawValue, deadline: .now + .seconds(10)) else {
      throw Bench.Failure(description: "the launcher did not start")
    }
    socket = SharedDescriptor(
      try Socket.connect(to: directory + "/extensiond/launcher/io.extensiond.Launcher", .packets))
    _ = try call {
      LauncherInterface.Hello(request: $0, protocol: LauncherPacket.version, generation: "bench")
    }
  }

  /// Returns when the program has answered Start.
  func start(_ program: String, instance: String) throws {
    let answer = try call {
      LauncherInterface.Launch(
        request: $0, instance: instance, extension: Bench.identifier, extensionPoint: Bench.point,
        program: program, arguments: [], environment: [], directory: "/", sandboxed: false, mounts: [],
        resources: .init(), note: "")
    }
    guard answer.count == 2 else { throw Bench.Failure(description: "the launcher did not launch") }
    let client = VarlinkClient(socket: answer[0])
    control = client
    _ = try client.call(
      ExtensionInterface.Start(
        call: "1", extension: Bench.identifier, extensionPoint: Bench.point, context: JSONObject()),
      timeout: .seconds(10))
  }

  /// Returns when nothing is left of it.
  func stop(_ instance: String) throws {
    control = nil
    _ = try call { LauncherInterface.Kill(request: $0, instance: instance) }
    while true {
      let packet = try receive().bytes
      if let event = try? LauncherEventsInterface.Call(VarlinkCall(decoding: packet)),
        case .ended(let end) = event, end.instance == instance
      {
        break
      }
    }
    _ = try call { LauncherInterface.Forget(request: $0, instance: instance) }
  }

  func end() {
    process.send(signal: Signals.terminate)
    _ = try? Poll.readable(process.rawValue, deadline: .now + .seconds(10))
    _ = try? process.process.reap()
  }

  /// The descriptors that came with the answer. Events on the way are of no interest here.
  private func call(_ make: (String) -> some VarlinkMethod) throws -> [SharedDescriptor] {
    number += 1
    let request = "\(number)"
    _ = try Socket.send(make(request).call().encoded().dropLast(), to: socket.rawValue, nonBlocking: false)
    while true {
      let (bytes, descriptors) = try receive()
      guard let reply = try? VarlinkReply(decoding: bytes), reply.parameters["answers"] == .string(request)
      else { continue }
      if let error = reply.error { throw Bench.Failure(description: error) }
      return descriptors
    }
  }

  private func receive() throws -> (bytes: [UInt8], descriptors: [SharedDescriptor]) {
    var buffer = [UInt8](repeating: 0, count: LauncherPacket.limit)
    guard try Poll.readable(socket.rawValue, deadline: .now + .seconds(10)) else {
      throw Bench.Failure(description: "the launcher did not answer")
    }
    let got = try Socket.receive(
      into: &buffer, from: socket.rawValue, maximumDescriptors: LauncherPacket.descriptors)
    guard got.count > 0 else { throw Bench.Failure(description: "the launcher is gone") }
    return (Array(buffer[..<got.count]), got.descriptors)
  }
}
