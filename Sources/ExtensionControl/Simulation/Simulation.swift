internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// A host that the author of an extension commands. Everything is on one thread: while it waits for one thing, it tells of
/// all others.
final class Simulation {
  /// Ctrl-C, or its like.
  struct Interruption: Error {}

  let invocation: Invocation
  let subject: SimulatedExtension
  /// What the host answers to the extension's calls, by method.
  let answers: [String: JSONObject]
  private let signals: SharedDescriptor
  private let events: ActivationEvents
  /// One connection for all questions: another one would start another broker where this one has ended.
  private let admin: VarlinkClient
  /// An answer is on its way there.
  private var isAsking = false
  /// Those that have not ended.
  var uses: [Use] = []
  private var ended: Set<String> = []
  var connections: [HostConnection] = []
  private var connectionCount = 0
  /// Activations of which a connection was closed by the extension in the midst of a call.
  var suspects: Set<String> = []
  /// The one that commands are for.
  var current: HostConnection?
  /// That of the first thing that failed.
  private(set) var failure: ExitStatus?
  /// Somebody types, and sees what has come: a call is not waited for.
  let isTyped: Bool

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    answers = try Self.answers(invocation)
    // Before anything is started, so that Ctrl-C ends it in order.
    signals = try Signals.descriptor(for: [Signals.interrupt, Signals.terminate, Signals.hangUp])
    isTyped = CurrentProcess.isTerminal(0) && !invocation.has("call")
    admin = try BrokerLocation.connect(.admin)
    subject = try SimulatedExtension(invocation.arguments[1], invocation)
    events = try Use.subscribe(invocation)
  }

  func run() throws -> ExitStatus {
    do {
      try work()
    } catch is Interruption {
    } catch {
      // Also after a failure at the start there are last words.
      try? letGo()
      throw error
    }
    do { try letGo() } catch is Interruption {}
    return failure ?? .success
  }

  private func work() throws {
    try begin()
    if let calls = invocation.lists["call"] {
      for call in calls where failure == nil {
        _ = try obey((invocation.has("more") ? "more " : "call ") + call)
      }
    } else {
      try obeyInput()
    }
    try letAnswer()
  }

  // MARK: Waiting

  /// Waits once, and deals with what has come. Says of each of `others` whether it is readable.
  func turn(_ others: [CInt] = [], deadline: MonotonicTime? = nil) throws -> [Bool] {
    let open = connections
    let own =
      [signals, subject.output.socket, events.client.socket].map(\.rawValue) + open.map(\.socket.rawValue)
    let ready = try Poll.wait(own + others, deadline: deadline)
    if ready[0] {
      _ = try signals.descriptor.read(upTo: 128)
      throw Interruption()
    }
    // Last words before the end, whoever tells of it.
    if ready[1] { try subject.showOutput() }
    for (connection, isReady) in zip(open, ready.dropFirst(3)) where isReady { try receive(on: connection) }
    if ready[2] { try hearEvents() }
    return Array(ready.suffix(others.count))
  }

  /// Asks the administration. A debugger may have the extension, so there is no deadline.
  @discardableResult
  func ask<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
    do {
      isAsking = true
      try admin.send(method.call())
      try wait(for: admin)
      isAsking = false
      return try admin.next(Method.self).reply
    } catch let error as VarlinkClientError {
      throw ControlError(error)
    }
  }

  func wait(for client: VarlinkClient) throws {
    while try !turn([client.socket.rawValue])[0] {}
  }

  /// false: the time passed before the condition came true.
  @discardableResult
  func wait(atMost limit: Duration? = nil, until condition: () -> Bool) throws -> Bool {
    let deadline = limit.map { MonotonicTime.now + $0 }
    while !condition() {
      if let deadline, deadline < .now { return false }
      _ = try turn(deadline: deadline)
    }
    return true
  }

  func hearEvents() throws {
    for event in try events.arrived() {
      tell(event)
      guard event.state == .deactivated else { continue }
      ended.insert(event.activation)
      uses.removeAll { $0.activation == event.activation }
    }
  }

  // MARK: Using the extension

  /// Activates the extension as it was asked for, and connects. The first connection is the one that commands are for.
  private func begin() throws {
    // What one read brought together with the first reply.
    try subject.showOutput()
    try hearEvents()
    let named = invocation.lists["scene"] ?? []
    let uses = try named.isEmpty ? [activate(nil)] : named.map { try activate($0) }
    for use in uses { try attempt { try connect(use) } }
    if named.isEmpty, let first = uses.first {
      for scene in try scenes(of: first) { try attempt { try connect(activate(scene)) } }
    }
    current = connections.first
  }

  func activate(_ scene: String?) throws -> Use {
    let request = try Use.ask(invocation, extension: subject.identifier, scene: scene, connect: false)
    try wait(for: request.client)
    let use = try Use(request)
    if !ended.contains(use.activation) { uses.append(use) }
    return use
  }

  func connect(_ use: Use) throws {
    let socket: SharedDescriptor
    do {
      try use.client.send(BrokerInterface.Connect(activation: use.activation).call())
      try wait(for: use.client)
      let answer = try use.client.next(BrokerInterface.Connect.self)
      guard answer.descriptors.indices.contains(answer.reply.connectionFileDescriptor) else {
        throw ControlError(.internalError, "the broker sent no connection")
      }
      socket = answer.descriptors[answer.reply.connectionFileDescriptor]
    } catch let error as VarlinkClientError {
      let error = ControlError(error)
      let part = use.scene.map { "scene \($0): " } ?? ""
      throw ControlError(error.status, part + error.description, reply: error.reply)
    }
    connectionCount += 1
    let connection = HostConnection(number: connectionCount, use: use, socket: socket)
    connections.append(connection)
    current = connection
    tell("connected", connection, text: "is open")
  }

  private func scenes(of use: Use) throws -> [String] {
    try instances([use]).flatMap { $0.scenes ?? [] }
  }

  /// The instances that serve these.
  func instances(_ uses: [Use]) throws -> [AdminInterface.Instance] {
    let known = Set(uses.map(\.activation))
    let names = try ask(AdminInterface.ListActivations()).activations
      .filter { known.contains($0.id) }.map(\.instance)
    return try ask(AdminInterface.ListInstances()).instances.filter { names.contains($0.id) }
  }

  // MARK: Ending

  /// Waits for what was asked for and has not come.
  func letAnswer() throws {
    try waitForAnswers()
    let lines = connections.filter(\.speaksLines)
    // No line says that it is the last: the extension ends its side when the host has ended its own, or never.
    for connection in lines { Socket.shutdownWrites(connection.socket.descriptor) }
    try wait(atMost: .seconds(5)) {
      !connections.contains { open in lines.contains { $0 === open } }
    }
  }

  func waitForAnswers() throws {
    try wait { connections.allSatisfy { $0.calls.isEmpty } }
    try waitForSuspects()
  }

  /// Lets the broker say first how an extension ended that has left a call unanswered, if it did.
  func waitForSuspects() throws {
    try wait(atMost: .seconds(2)) { uses.allSatisfy { !suspects.contains($0.activation) } }
    suspects = []
  }

  func waitForEnds() throws {
    if try !wait(atMost: .seconds(20), until: { uses.isEmpty }) {
      throw ControlError(.timedOut, "nobody told what became of the activations; see 'extctl connections'")
    }
  }

  private func letGo() throws {
    connections = []
    current = nil
    for use in uses { use.lease = nil }
    try waitForEnds()
    // Ctrl-C came before an answer: the next one would be that.
    if isAsking { return }
    // Instances stay for a while that nobody uses any more. Their last words are of interest now.
    let instances = try ask(AdminInterface.ListInstances()).instances
    try stop(instances.filter { $0.extension == subject.identifier && $0.activations == 0 })
    try subject.showOutput()
  }

  // MARK: Failing

  /// Goes on after a failure, and tells it.
  func attempt(_ work: () throws -> Void) rethrows {
    do { try work() } catch let error as ControlError { fail(error) }
  }

  func fail(_ error: ControlError) {
    noteFailure(error.status)
    report(error)
  }

  func noteFailure(_ status: ExitStatus = .failed) { failure = failure ?? status }
}
