internal import ExtensionFoundation
internal import ExtensionKit
internal import LinuxSystem
internal import Observation
internal import SampleSDK

/// What the commands work on.
@MainActor
final class Probe {
  typealias Monitor = AppExtensionPoint.Monitor

  private var monitor = Monitor()
  private var watching: [Task<Void, Never>] = []
  private var processes: [String: AppExtensionProcess] = [:]
  private var connections: [String: AppExtensionConnection] = [:]
  private var scenes: [String: ProbeScene] = [:]
  private var displays: [SceneDisplay] = []
  private var sockets: [SharedDescriptor] = []

  func result(_ words: [String]) async -> String {
    do { return try await perform(words[0], Array(words.dropFirst())) } catch {
      return "error \(describe(error))"
    }
  }

  private func perform(_ command: String, _ words: [String]) async throws -> String {
    switch command {
    case "monitor":
      monitor = try await Monitor(appExtensionPoint: try point(words[0]))
      return list(monitor.state)
    case "add": try await monitor.addAppExtensionPoint(try point(words[0]))
    case "remove": try await monitor.removeAppExtensionPoint(try point(words[0]))
    case "list": return list(monitor.state)
    case "watch": watch(monitor.changes)
    case "observe": observe()
    case "unwatch":
      for task in watching { task.cancel() }
      watching = []
    case "forget": monitor = Monitor()
    case "broker": return text(try await AppExtensionHost.brokerStatus())
    case "wait": try await AppExtensionHost.waitForBroker()
    case "observe-broker": observeBroker()
    case "activate": try await activate(words[0], words[1], scene: words.count > 2 ? words[2] : nil)
    case "activate-again": try await activate(words[0], words[1], scene: nil, restarts: true)
    case "connect": return try await connect(words[0], words[1])
    case "resume": try connection(words[0]).resume()
    case "line": return try await exchange(try connection(words[0]), words[1])
    case "greet-soon": return try await greet(try connection(words[0]), words[1], timeout: .seconds(1))
    case "greet": return try await greet(try connection(words[0]), words.dropFirst().joined(separator: " "))
    case "close": connections.removeValue(forKey: words[0])?.invalidate()
    case "invalidate": processes[words[0]]?.invalidate()
    case "report": try await identity(words[0]).report(words.dropFirst().joined(separator: " "))
    case "drop": processes[words[0]] = nil
    case "scene": try scene(words[0]).set(words.dropFirst().map { try configuration($0) })
    case "onend": try scene(words[0]).onEnd = words[1]
    case "state": return "\(try scene(words[0]).controller.state)"
    case "converse": connections[words[1]] = try await scene(words[0]).controller.makeConnection()
    case "show": return try await show(words[0], words[1])
    case "displays": return try describeDisplays()
    case "forget-displays": (displays, sockets) = ([], [])
    case "dismiss": scenes[words[0]] = nil
    default: return "error no command \(command)"
    }
    return "ok"
  }

  private func point(_ name: String) throws -> AppExtensionPoint { name == "first" ? .first : .second }

  // MARK: Monitors

  private func list(_ state: Monitor.State) -> String {
    "\(names(state.identities)) disabled \(state.disabledCount) unapproved \(state.unapprovedCount)"
  }

  private nonisolated func names(_ identities: [AppExtensionIdentity]) -> String {
    "[\(identities.map { "\($0.localizedName) \($0.version)" }.joined(separator: ", "))]"
  }

  private func watch(_ changes: Monitor.Changes) {
    watching.append(
      Task { [self] in
        for await change in changes {
          say(
            "changed added \(names(change.added)) updated \(names(change.updated)) removed \(names(change.removed))"
              + " now \(list(change.state))")
        }
      })
  }

  private func observe() {
    watching.append(
      Task { [self, monitor] in
        for await state in Observations({ monitor.state }) { say("observed \(list(state))") }
      })
  }

  private func observeBroker() {
    watching.append(
      Task { [self, monitor] in
        for await status in Observations({ monitor.brokerStatus }) { say("broker \(text(status))") }
      })
  }

  private nonisolated func text(_ status: AppExtensionHost.BrokerStatus) -> String {
    guard case .unavailable(let error) = status else { return "available" }
    return describe(error)
  }

  private func identity(_ name: String) throws -> AppExtensionIdentity {
    guard let found = monitor.identities.first(where: { $0.localizedName == name }) else {
      throw Missing(name: name)
    }
    return found
  }

  // MARK: Processes

  private func activate(
    _ name: String, _ identity: String, scene: String?, restarts: Bool = false
  ) async throws {
    var configuration = AppExtensionProcess.Configuration(
      appExtensionIdentity: try self.identity(identity), sceneID: scene
    ) { reason in say("interrupted \(name) \(reason.kind)") }
    configuration.restartsAfterCrash = restarts
    configuration.onRestart = { result in
      switch result {
      case .success: say("back \(name)")
      case .failure(let error): say("lost \(name) \(error.code.rawValue) \(error.reason?.kind ?? "")")
      }
    }
    processes[name] = try await AppExtensionProcess(configuration: configuration)
  }

  private func connect(_ name: String, _ connection: String) async throws -> String {
    guard let process = processes[name] else { throw Missing(name: name) }
    connections[connection] = try await process.makeConnection()
    return "ok"
  }

  private func connection(_ name: String) throws -> AppExtensionConnection {
    guard let connection = connections[name] else { throw Missing(name: name) }
    return connection
  }

  private func exchange(_ connection: AppExtensionConnection, _ line: String) async throws -> String {
    try connection.send(line: line)
    var lines = connection.lines.makeAsyncIterator()
    return await lines.next(isolation: #isolation) ?? "end"
  }

  private func greet(
    _ connection: AppExtensionConnection, _ name: String, timeout: Duration? = nil
  ) async throws -> String {
    try await connection.call(HostInterface.Greet(name: name), of: HostInterface.self, timeout: timeout)
      .greeting
  }

  // MARK: Scenes

  private func scene(_ name: String) throws -> ProbeScene {
    if let scene = scenes[name] { return scene }
    let scene = ProbeScene(name)
    scenes[name] = scene
    return scene
  }

  private func show(_ name: String, _ connection: String) async throws -> String {
    let (made, display) = try await scene(name).controller.makeConnectionAndDisplay()
    connections[connection] = made
    if !displays.contains(where: { $0 === display }) { displays.append(display) }
    return "shown"
  }

  /// How many there are, and what clients said first on those that were not looked at yet.
  private func describeDisplays() throws -> String {
    var words = ["\(displays.count)"]
    for socket in displays.compactMap({ $0.takeSocket() }) {
      sockets.append(socket)
      var bytes: [UInt8] = []
      while bytes.count < 12 { bytes += try socket.descriptor.read(upTo: 12 - bytes.count) }
      words.append(bytes.prefix(8).map { "\($0 < 16 ? "0" : "")" + String($0, radix: 16) }.joined())
    }
    return words.joined(separator: " ")
  }

  /// `EXTENSION/SCENE`, or `none`.
  private func configuration(_ text: String) throws -> HostSceneController.Configuration? {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2 else { return nil }
    return .init(appExtension: try identity(parts[0]), sceneID: parts[1])
  }
}

struct Missing: Error {
  let name: String
}
