internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let call = Command(
    name: "call", arguments: ["INTERFACE.METHOD", "[JSON]"],
    summary: "call a method of the broker, or of any Varlink service",
    details:
      "The interface picks the broker's socket; a call for hosts is made as --host. Replies are printed as JSON, one after "
      + "the other. Descriptors that come with a reply are closed.",
    options: [
      .init(name: "more", help: "ask for many replies, and print them until Ctrl-C"),
      .init(name: "oneway", help: "ask for no reply"),
      .init(name: "socket", value: "PATH", help: "the socket of another service"),
      .init(name: "host", value: "ID", help: "who calls, to the broker; \(Use.standardHost) unless given"),
    ]
  ) { invocation in
    guard !(invocation.has("more") && invocation.has("oneway")) else {
      throw ControlError(.usage, "--more asks for many replies and --oneway for none; give one of them")
    }
    let call = VarlinkCall(
      method: invocation.arguments[0], parameters: try parameters(invocation.arguments.dropFirst().first),
      mode: invocation.has("more") ? .more : invocation.has("oneway") ? .oneway : .single)
    do {
      let client = try client(for: call, invocation)
      try client.send(call)
      var continues = !call.oneway
      while continues {
        let (reply, _) = try client.receive()
        if reply.error != nil { throw ControlError(reply) }
        try invocation.show(json: ["parameters": .object(reply.parameters)]) {
          JSON.object(reply.parameters).prettyText
        }
        continues = reply.continues
      }
    } catch let error as VarlinkClientError {
      throw ControlError(error)
    }
    return .success
  }

  static func parameters(_ text: String?) throws(ControlError) -> JSONObject {
    guard let text else { return [:] }
    do {
      if case .object(let object) = try JSON(parsing: Array(text.utf8)) { return object }
    } catch {
      throw ControlError(.usage, "the parameters are not JSON: \(error)")
    }
    throw ControlError(
      .usage, "the parameters must be one JSON object, such as '{\"extension\":\"org.example.one\"}'")
  }

  private static func client(for call: VarlinkCall, _ invocation: Invocation) throws -> VarlinkClient {
    if let socket = invocation.values["socket"] {
      do { return try VarlinkClient(path: socket) } catch {
        throw ControlError(.unavailable, "\(error); check the path after --socket")
      }
    }
    guard call.interface == BrokerInterface.name else { return try BrokerLocation.connect(.admin) }
    let client = try BrokerLocation.connect(.host)
    if call.method != BrokerInterface.Hello.name {
      _ = try client.call(BrokerInterface.Hello(hostIdentifier: Use.host(invocation)), timeout: .seconds(30))
    }
    return client
  }
}
