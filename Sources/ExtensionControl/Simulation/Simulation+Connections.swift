internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Simulation {
  /// METHOD=JSON, each.
  static func answers(_ invocation: Invocation) throws -> [String: JSONObject] {
    var answers: [String: JSONObject] = [:]
    for text in invocation.lists["answer"] ?? [] {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ControlError(.usage, "'\(text)' is no answer; write METHOD=JSON, with JSON an object")
      }
      answers[parts[0]] = try Command.parameters(parts[1])
    }
    return answers
  }

  func receive(on connection: HostConnection) throws {
    for arrival in connection.arrived() {
      switch arrival {
      case .message(.reply(let reply)): show(reply, on: connection)
      case .message(.call(let call)): try answer(call, on: connection)
      case .line(let text):
        tell(
          "line", ["connection": .integer(Int64(connection.number)), "text": .string(text)],
          result: Terminal.visible(text, keepingLines: false))
      case .notVarlink(let error):
        fail(ControlError(.failed, "\(connection.label): what the extension sent is not Varlink. \(error)"))
      case .end: close(connection, by: "the extension")
      }
    }
  }

  private func show(_ reply: VarlinkReply, on connection: HostConnection) {
    guard let call = connection.calls.first else {
      return fail(ControlError(.failed, "\(connection.label): the extension answered what nobody asked"))
    }
    call.reply = reply
    if !reply.continues {
      connection.calls.removeFirst()
      call.isOver = true
    }
    guard call.isShown else { return }
    var members: JSONObject = [
      "connection": .integer(Int64(connection.number)), "method": .string(call.method),
    ]
    if reply.error == ConnectionInterface.StreamEnded.name, call.mode == .more {
      return tell("streamEnded", members, text: "\(connection.label): \(call.method) has ended")
    }
    members["parameters"] = .object(reply.parameters)
    let text = JSON.object(reply.parameters).text
    if let error = reply.error {
      members["error"] = .string(error)
      noteFailure()
      tell("error", members, text: "\(connection.label): \(call.method) answered \(error) \(text)")
    } else {
      if reply.continues { members["continues"] = true }
      tell("reply", members, result: text)
    }
  }

  /// The extension calls its host.
  private func answer(_ call: VarlinkCall, on connection: HostConnection) throws {
    let canned = answers[call.method]
    let parameters = JSON.object(call.parameters)
    tell(
      "call",
      [
        "connection": .integer(Int64(connection.number)), "method": .string(call.method),
        "parameters": parameters, "mode": .string(call.mode.rawValue), "answered": .bool(canned != nil),
      ],
      text: "\(connection.label): the extension calls \(call.method) \(parameters.text)"
        + (call.oneway || canned != nil ? "" : "; it is told that this is not implemented"))
    if call.oneway { return }
    let reply =
      canned.map { VarlinkReply(parameters: $0) }
      ?? ServiceInterface.MethodNotImplemented(method: call.method).reply
    try send(reply.encoded(), on: connection)
  }

  func close(_ connection: HostConnection, by side: String) {
    guard connections.contains(where: { $0 === connection }) else { return }
    connections.removeAll { $0 === connection }
    if current === connection { current = connections.last }
    tell("closed", connection, text: "was closed by \(side)")
    if side == "the extension", !connection.calls.isEmpty { suspects.insert(connection.activation) }
    for call in connection.calls {
      call.isOver = true
      if call.isShown, side == "the extension" {
        fail(ControlError(.failed, "\(call.method) was not answered: the connection is closed"))
      }
    }
    connection.calls = []
  }

  // MARK: Telling

  func tell(_ event: String, _ connection: HostConnection, text: String) {
    var members: JSONObject = ["connection": .integer(Int64(connection.number))]
    members["scene"] = connection.scene.map(JSON.string)
    members["activation"] = .string(connection.activation)
    tell(event, members, text: "\(connection.label) \(text)")
  }

  func tell(_ event: BrokerInterface.ActivationEvent) {
    var writer = JSONWriter()
    event.write(to: &writer)
    let json = try? JSON(parsing: writer.bytes)
    guard case .object(var members)? = json else { return }
    members["state"] = nil
    let part = event.scene.map { "scene \($0)" } ?? "the extension"
    let reason = event.reason.map { ": \($0.text)" } ?? ""
    let text =
      switch event.state {
      case .activated: "\(part) is activated"
      case .willDeactivate: "\(part) ends" + (event.deadline.map { " within \($0) ms" } ?? "") + reason
      case .deactivated: "\(part) is deactivated" + reason
      }
    tell(event.state.rawValue, members, text: text)
  }

  /// Prints what happened: results on standard output, talk on standard error; all of it as JSON where that is wanted.
  func tell(_ event: String, _ members: JSONObject, result: String? = nil, text: String = "") {
    if invocation.isJSON {
      let all = [("schema", 1), ("event", .string(event))] + members.members.map { ($0.name, $0.value) }
      try? Terminal.write(JSON.object(JSONObject(all)).text)
    } else if let result {
      try? Terminal.write(result.isEmpty ? "\n" : result)
    } else {
      Terminal.say(Terminal.visible(text))
    }
  }

  func report(_ error: ControlError) {
    if invocation.isJSON {
      try? Terminal.write(JSON.object(error.json).text)
    } else {
      Terminal.say("error: \(Terminal.visible(error.description))")
    }
  }
}
