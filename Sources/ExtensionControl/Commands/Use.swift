internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  private static let useOptions: [Option] = [
    .init(name: "scene", value: "NAME", help: "a scene of the extension, not the extension as a whole"),
    .init(name: "host", value: "ID", help: "the host's identifier; io.extensiond.extctl unless given"),
  ]

  static let activate = Command(
    name: "activate", arguments: "ID", count: 1...1,
    summary: "use an extension until Ctrl-C, or until it ends",
    options: useOptions
  ) { invocation in
    let use = try Use(invocation, connect: false)
    if !invocation.isJSON { Terminal.write("activated \(use.activation)") }
    _ = try? Poll.readable(use.lease.rawValue)
    let event = use.end
    if let event { invocation.show(event) { "ended: \(event.reason?.kind.rawValue ?? "unknown")" } }
    return .success
  }

  static let connect = Command(
    name: "connect", arguments: "ID", count: 1...1,
    summary: "connect to an extension; standard input and output are the connection", options: useOptions
  ) { invocation in
    let use = try Use(invocation, connect: true)
    guard let connection = use.connection else {
      throw ControlError(.internalError, "the broker sent no connection")
    }
    try copy(connection)
    return .success
  }

  /// Both directions, until the extension closes its end.
  private static func copy(_ connection: SharedDescriptor) throws {
    let input = FileDescriptor.standardInput
    var inputIsOpen = true
    while true {
      let ready = try Poll.wait(inputIsOpen ? [connection.rawValue, input] : [connection.rawValue])
      if ready[0] {
        let bytes = (try? connection.descriptor.read(upTo: 65536)) ?? []
        if bytes.isEmpty { return }
        try FileDescriptor.standardOutput().write(all: bytes)
      }
      if inputIsOpen, ready[1] {
        let bytes = try FileDescriptor.readStandardInput(upTo: 65536)
        inputIsOpen = !bytes.isEmpty
        if bytes.isEmpty {
          Socket.shutdownWrites(connection.descriptor)
        } else {
          var rest = bytes[...]
          while !rest.isEmpty {
            rest = rest.dropFirst(try Socket.send(rest, to: connection.rawValue, nonBlocking: false))
          }
        }
      }
    }
  }
}

/// An activation that extctl holds as a host.
private struct Use {
  let activation: String
  let lease: SharedDescriptor
  let connection: SharedDescriptor?
  private let client: VarlinkClient

  init(_ invocation: Invocation, connect: Bool) throws {
    do throws(VarlinkClientError) {
      client = try BrokerLocation.connect(.host)
      _ = try client.call(
        BrokerInterface.Hello(hostIdentifier: invocation.values["host"] ?? "io.extensiond.extctl"),
        timeout: .seconds(30))
      let answer = try client.call(
        BrokerInterface.Activate(
          extension: invocation.arguments[0], scene: invocation.values["scene"], connect: connect),
        timeout: .seconds(60))
      activation = answer.reply.activation
      guard answer.descriptors.indices.contains(answer.reply.leaseFileDescriptor) else {
        throw VarlinkClientError.malformed("no lease came with the activation")
      }
      lease = answer.descriptors[answer.reply.leaseFileDescriptor]
      connection = answer.reply.connectionFileDescriptor.flatMap { index in
        answer.descriptors.indices.contains(index) ? answer.descriptors[index] : nil
      }
    } catch {
      throw ControlError(error)
    }
  }

  /// What became of it; asked until it is known, for the lease can end a moment before.
  var end: BrokerInterface.ActivationEvent? {
    for _ in 0..<100 {
      let reply = try? client.call(
        BrokerInterface.GetActivation(activation: activation), timeout: .seconds(5)
      ).reply
      guard let event = reply?.event else { return nil }
      if event.state == .deactivated { return event }
      CurrentProcess.pause(milliseconds: 20)
    }
    return nil
  }
}
