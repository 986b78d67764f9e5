internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Simulation {
  static let options: [Command.Option] = [
    .init(
      name: "scene", value: "NAME",
      help: "simulate: this scene instead of all and the whole; may be given several times"),
    .init(
      name: "host", value: "ID", help: "simulate: the host's identifier; \(Use.standardHost) unless given"),
    .init(
      name: "call", value: "CALL",
      help:
        "simulate: 'METHOD [JSON]', to call instead of what standard input says; may be given several times"),
    .init(name: "more", help: "simulate: the calls of --call are streams"),
    .init(
      name: "answer", value: "METHOD=JSON",
      help: "simulate: what the extension's calls of its host are answered with; may be given several times"),
  ]

  static let commands: [(form: String, help: String)] = [
    ("call METHOD [JSON]", "call a method of the extension, and print the answer"),
    ("more METHOD [JSON]", "the same for a stream: every answer, while other commands go on"),
    ("oneway METHOD [JSON]", "call a method that answers nothing"),
    ("cancel", "say that the answer is not wanted any more that is waited for"),
    ("line TEXT", "send a line, to an extension that speaks lines"),
    ("info", "print what the extension says of itself, and its interfaces"),
    ("connect [SCENE]", "open another connection, of the extension as a whole or of a scene"),
    ("use NUMBER", "be at another connection"),
    ("close", "close the connection"),
    ("end", "let go of the activation, as a host does that is done"),
    ("stop", "stop the instances, as 'extctl stop' does"),
    ("kill", "kill the instances, with SIGKILL"),
    ("wait", "wait for every answer that has not come"),
    ("quit", "let go of everything; so does the end of the input"),
  ]

  func obeyInput() throws {
    if isTyped { Terminal.say("Commands are typed here; 'help' lists them. Ctrl-D ends it") }
    var input: [UInt8] = []
    while true {
      while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: input[..<end], as: UTF8.self)
        input.removeFirst(end + 1)
        if try !obey(line) { return }
      }
      guard try turn([0])[0] else { continue }
      let bytes = try FileDescriptor.readStandardInput(upTo: 65536)
      if bytes.isEmpty {
        _ = try obey(String(decoding: input, as: UTF8.self))
        return
      }
      input += bytes
    }
  }

  /// Does what a line says. false: it was the last one.
  func obey(_ line: String) throws -> Bool {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    guard let command = words.first, !command.hasPrefix("#") else { return true }
    if command == "quit" { return false }
    try attempt { try obey(command, words.count > 1 ? words[1] : nil) }
    return true
  }

  private func obey(_ command: String, _ rest: String?) throws {
    switch command {
    case "call": try call(rest, .single)
    case "more": try call(rest, .more)
    case "oneway": try call(rest, .oneway)
    case "cancel": try cancel()
    case "line":
      let connection = try connection()
      connection.speaksLines = true
      try send(Array("\(rest ?? "")\n".utf8), on: connection)
    case "info": try info()
    case "connect": try connect(uses.first { $0.scene == rest } ?? activate(rest))
    case "use":
      guard let wanted = connections.first(where: { "\($0.number)" == rest }) else {
        let known = connections.map { "\($0.number)" }.joined(separator: ", ")
        throw ControlError(.failed, "there is no connection \(rest ?? ""); there are: \(known)")
      }
      current = wanted
    case "close": close(try connection(), by: "this side")
    case "end":
      let activation = try connection().activation
      uses.first { $0.activation == activation }?.lease = nil
      try wait(atMost: .seconds(20)) { uses.allSatisfy { $0.activation != activation } }
    case "stop":
      try stop(instances(uses))
      try waitForEnds()
    case "kill": try kill()
    case "wait": try waitForAnswers()
    case "help":
      let width = Self.commands.map(\.form.count).max() ?? 0
      Terminal.say(Self.commands.map { "\($0.form.padding(to: width))  \($0.help)" }.joined(separator: "\n"))
    default:
      throw ControlError(.usage, "there is no command '\(command)' here; 'help' lists them")
    }
  }

  private func connection() throws(ControlError) -> HostConnection {
    if let current { return current }
    throw ControlError(.failed, "there is no connection; 'connect' opens one")
  }

  // MARK: Calls

  private func call(_ text: String?, _ mode: VarlinkCall.Mode) throws {
    let words = (text ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    guard let method = words.first, method.contains(".") else {
      throw ControlError(.usage, "a method is missing, such as org.varlink.service.GetInfo")
    }
    let call = VarlinkCall(
      method: method, parameters: try Command.parameters(words.count > 1 ? words[1] : nil), mode: mode)
    let pending = try start(call)
    guard mode == .single, !isTyped else { return }
    try wait { pending.isOver }
    try waitForSuspects()
  }

  @discardableResult
  private func start(_ call: VarlinkCall, isShown: Bool = true) throws -> HostConnection.PendingCall {
    let connection = try connection()
    let pending = connection.expect(call, isShown: isShown)
    try send(call.encoded(), on: connection)
    return pending
  }

  private func cancel() throws {
    let connection = try connection()
    guard let call = connection.calls.first else {
      throw ControlError(.failed, "\(connection.label) waits for no answer")
    }
    // Calls of this method do not count.
    try send(ConnectionInterface.Cancel(call: call.number).call(oneway: true).encoded(), on: connection)
  }

  func send(_ bytes: [UInt8], on connection: HostConnection) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(Errno) {
        rest = rest.dropFirst(try Socket.send(rest, to: connection.socket.rawValue))
      } catch .again {
        // The extension may read again only when it is read from.
        _ = try turn(deadline: .now + .milliseconds(10))
      } catch {
        // Its end is about to be told.
        return
      }
    }
  }

  private func info() throws {
    func answer(_ call: VarlinkCall) throws -> JSONObject {
      let pending = try start(call, isShown: false)
      try wait { pending.isOver }
      guard let reply = pending.reply else {
        throw ControlError(.failed, "\(call.method) was not answered: the connection is closed")
      }
      if reply.error != nil { throw ControlError(reply) }
      return reply.parameters
    }
    let info = try answer(ServiceInterface.GetInfo().call())
    tell("info", JSONObject([("parameters", .object(info))]), result: JSON.object(info).text)
    guard case .array(let names) = info["interfaces"] else { return }
    for case .string(let name) in names where name != ServiceInterface.name {
      let reply = try answer(ServiceInterface.GetInterfaceDescription(interface: name).call())
      guard case .string(let text) = reply["description"] else { continue }
      tell(
        "interface", ["name": .string(name), "description": .string(text)], result: Terminal.visible(text))
    }
  }

  // MARK: Ends

  func stop(_ instances: [AdminInterface.Instance]) throws {
    for instance in instances {
      do {
        try ask(AdminInterface.Stop(target: instance.id))
      } catch let error as ControlError where error.reply?.error == AdminInterface.InstanceNotFound.name {
        // It has ended by itself.
      }
    }
  }

  private func kill() throws {
    for instance in try instances(uses) {
      guard let process = instance.pid else { continue }
      do throws(Errno) {
        try ProcessDescriptor(processID: Int32(clamping: process)).send(signal: Signals.kill)
      } catch .noSuchProcess {
        // It has ended by itself.
      } catch {
        throw ControlError(.failed, "\(instance.id), process \(process), cannot be killed: \(error)")
      }
    }
    try waitForEnds()
  }
}
