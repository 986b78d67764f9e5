internal import ExtensionInterfaces
internal import LinuxSystem
internal import Testing
internal import Varlink

/// What an extension's program does on its socket; the one without the SDK included.
struct ServingTests {
  /// The error reply of a call that must be refused.
  private func refusal(_ body: () throws -> Void) throws -> VarlinkReply {
    do {
      try body()
    } catch VarlinkClientError.errorReply(let reply) {
      return reply
    }
    throw TestFailure("the call was not refused")
  }

  @Test func `Start answers the call, and tells the scenes`() throws {
    let reply = try TestExtension(.greeting).start()
    #expect(reply.answers == "g.1")
    #expect(reply.scenes == ["GreetingScene", "FarewellScene"])
  }

  @Test func `Who can be told of memory pressure says so, and is`() throws {
    #expect(try TestExtension(.python).start().memoryPressure == nil)
    let program = try TestExtension(.probe)
    #expect(try program.start().memoryPressure == true)
    let reply = try program.call(
      ExtensionInterface.MemoryPressure(call: "g.9", used: 9, limit: 10, context: JSONObject()))
    #expect(reply.answers == "g.9")
    _ = try program.stop()
    #expect(try program.end().errors.contains("memory pressure: 9 of 10"))
  }

  @Test func `Scenes that are not declared are decided about one by one`() throws {
    #expect(try TestExtension(.probe).start().scenes == nil)
    #expect(try TestExtension(.python).start().scenes == nil)
  }

  @Test func `Another binding in Info.plist than in the code is an error on both ends`() throws {
    let program = try TestExtension(.greeting)
    let reply = try refusal { try program.start(point: "org.example.Other.Point") }
    #expect(reply.error == ExtensionInterface.ConnectionRejected.name)
    let end = try program.end()
    #expect(end.status == .exited(status: 65))
    #expect(end.errors.contains("org.example.Other.Point"))
    #expect(end.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    (TestExtension.Program.greeting, "Hello, Ada!", "Hello, Ada in GreetingScene!"),
    (.python, "Greetings from Python, Ada!", "Greetings from Python, Ada in GreetingScene!"),
  ])
  func `Global and scene connections exist side by side`(
    _ program: TestExtension.Program, _ global: String, _ scene: String
  ) throws {
    let program = try TestExtension(program)
    try program.start()
    let connections = (global: try program.accept(), scene: try program.accept(scene: "GreetingScene"))
    #expect(try connections.global.ask("Ada") == global)
    #expect(try connections.scene.ask("Ada") == scene)
    #expect(try connections.global.ask("Ada") == global)
  }

  @Test(arguments: [TestExtension.Program.greeting, .python])
  func `A scene that there is not is refused, and its socket closed`(_ program: TestExtension.Program) throws
  {
    let program = try TestExtension(program)
    try program.start()
    let reply = try refusal { _ = try program.accept(scene: "Nowhere") }
    let error = try ExtensionInterface.SceneNotFound(object: reply.parameters, unknownMembers: .refused)
    #expect(reply.error == ExtensionInterface.SceneNotFound.name)
    #expect(error == ExtensionInterface.SceneNotFound(answers: "g.2", scene: "Nowhere"))
    _ = try program.accept()
  }

  @Test(arguments: [("refused", "this scene is never served"), ("refused at length", nil)])
  func `A refusal carries its reason, and stays below the limit`(_ scene: String, _ message: String?) throws {
    let program = try TestExtension(.probe)
    try program.start()
    let reply = try refusal { _ = try program.accept(scene: scene) }
    #expect(reply.error == ExtensionInterface.ConnectionRejected.name)
    #expect(reply.encoded().count <= 32 << 10)
    if let message { #expect(reply.parameters["message"] == .string(message)) }
    _ = try program.accept(scene: "another")
  }

  @Test func `A connection without a socket is refused`() throws {
    let program = try TestExtension(.probe)
    try program.start()
    let reply = try refusal {
      _ = try program.call(
        ExtensionInterface.AcceptConnection(
          call: "g.2", connectionFileDescriptor: 0, activation: "a7", context: JSONObject()))
    }
    #expect(reply.error == ExtensionInterface.ConnectionRejected.name)
  }

  @Test(arguments: ["refused", "another"])
  func `A display is there before the code is asked, and stays where that refuses`(_ first: String) throws {
    let program = try TestExtension(.probe)
    try program.start()
    let display = try Socket.pair()
    let (ours, theirs) = try Socket.pair()
    let accept = ExtensionInterface.AcceptConnection(
      call: "g.2", connectionFileDescriptor: 0, activation: "a7", scene: first, displayFileDescriptor: 1,
      context: JSONObject())
    if first == "refused" {
      _ = try refusal { _ = try program.call(accept, [theirs, display.1]) }
      _ = try program.accept(scene: "another")
    } else {
      _ = try program.call(accept, [theirs, display.1])
    }
    withExtendedLifetime(ours) {}
    #expect(try Poll.readable(display.0.rawValue, deadline: .now + TestExtension.deadline))
    #expect(try display.0.descriptor.read(upTo: 5) == Array("drawn".utf8))
  }

  @Test func `Main-actor code runs on the main thread`() throws {
    let program = try TestExtension(.probe)
    try program.start()
    let connection = try program.accept()
    for name in ["one", "two"] {
      #expect(try connection.ask(name) == "\(name) on the main thread for a7")
    }
  }

  @Test(arguments: TestExtension.Program.allCases) func `Stop is answered, then the program ends`(
    _ program: TestExtension.Program
  ) throws {
    let running = try TestExtension(program)
    try running.start()
    #expect(try running.stop().answers == "g.3")
    let end = try running.end()
    #expect(end.status == .exited(status: 0))
    #expect(end.errors == (program == .probe ? "will terminate\n" : ""))
  }

  @Test(arguments: TestExtension.Program.allCases) func `The socket's end is the program's`(
    _ program: TestExtension.Program
  ) throws {
    let running = try TestExtension(program)
    try running.start()
    running.closeSocket()
    let end = try running.end()
    #expect(end.status == .exited(status: 0))
    #expect(end.errors == (program == .probe ? "will terminate\n" : ""))
  }

  @Test(arguments: [TestExtension.Program.greeting, .python]) func `Started by hand it says what it is`(
    _ program: TestExtension.Program
  ) throws {
    let end = try TestExtension(program, passesSocket: false).end()
    #expect(end.status == .exited(status: 64))
    #expect(end.errors.contains("started by extensiond"))
    #expect(end.errors.split(separator: "\n").count == 1)
  }

  @Test func `A message without end ends the program with a line`() throws {
    let program = try TestExtension(.greeting)
    try program.start()
    #expect(throws: VarlinkClientError.self) {
      _ = try program.call(
        ExtensionInterface.Stop(call: String(repeating: "x", count: 60_000), context: JSONObject()))
    }
    let end = try program.end()
    #expect(end.status == .exited(status: 76))
    #expect(end.errors.contains("messageTooLong"))
  }
}
