// A user's code around what the build plugin makes: services of every kind, and calls from every isolation. Compiled by
// run-mode-tests, in each language mode.
internal import ExtensionFoundation
internal import Varlink

/// As people write it first: without a word about isolation.
struct PlainGreeter: GreetingInterface.Service {
  func greet(name: String) async throws -> String { "Hello, \(name)!" }

  func introduce(
    person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
  ) async throws -> GreetingInterface.Introduce.Reply {
    guard person.age != nil else { throw GreetingInterface.NobodyThere(name: person.name) }
    return .init(greeting: style == .loud ? "HELLO" : "hello", length: 5)
  }

  func forget() async throws {}
}

nonisolated struct FreeGreeter: GreetingInterface.Service {
  func greet(name: String) async throws -> String { name }

  func introduce(
    person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
  ) async throws -> GreetingInterface.Introduce.Reply {
    .init(greeting: person.name, length: 1)
  }

  func forget() async throws {}
}

actor GreeterActor: GreetingInterface.Service {
  private var heard: [String] = []

  func greet(name: String) async throws -> String {
    heard.append(name)
    return name
  }

  func introduce(
    person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
  ) async throws -> GreetingInterface.Introduce.Reply {
    .init(greeting: person.name, length: heard.count)
  }

  func forget() async throws { heard = [] }
}

@MainActor
final class WindowGreeter {
  private var heard: [String] = []

  func greet(name: String) async throws -> String {
    heard.append(name)
    return name
  }

  func introduce(
    person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
  ) async throws -> GreetingInterface.Introduce.Reply {
    .init(greeting: person.name, length: heard.count)
  }

  func forget() async throws { heard = [] }
}

// In an extension: beside the class's name it would take its methods off the main actor.
extension WindowGreeter: GreetingInterface.Service {}

// MARK: Extensions

final class GreetingExtension: AppExtension {
  @AppExtensionPoint.Bind
  var boundAppExtensionPoint: AppExtensionPoint {
    AppExtensionPoint.Identifier(host: "org.example.host", name: "Greeting")
  }

  var configuration: ConnectionHandler {
    ConnectionHandler { connection in
      connection.export(WindowGreeter(), as: GreetingInterface.self)
      connection.invalidationHandler = { error in _ = error.code }
      connection.resume()
      return true
    }
  }
}

/// In the spelling of macOS 26.2: the requirement has the builder.
final class LineExtension: AppExtension {
  var extensionPoint: AppExtensionPoint {
    AppExtensionPoint.Identifier(host: "org.example.host", name: "Lines")
  }

  var configuration: LineConfiguration { LineConfiguration() }
}

struct LineConfiguration: AppExtensionConfiguration {
  nonisolated func accept(connection: AppExtensionConnection) -> Bool {
    Task { for await line in connection.lines { try? connection.send(line: line) } }
    return true
  }
}

// MARK: Calls

extension AppExtensionPoint {
  @Definition
  static var greeting: AppExtensionPoint {
    Name("Greeting")
    Scope(restriction: .none)
  }
}

nonisolated func exportAll(_ connection: AppExtensionConnection, _ window: WindowGreeter) {
  connection.export(PlainGreeter(), as: GreetingInterface.self)
  connection.export(FreeGreeter(), as: GreetingInterface.self)
  connection.export(GreeterActor(), as: GreetingInterface.self)
  connection.export(window, as: GreetingInterface.self)
  connection.exportedInterface = .init(with: GreetingInterface.self)
  connection.exportedObject = FreeGreeter()
}

nonisolated func ask(_ connection: AppExtensionConnection) async throws -> Int {
  let proxy = connection.remoteObject(as: GreetingInterface.self)
  let reply = try await proxy.introduce(person: .init(name: "Ada", age: 36), style: .quiet)
  let call = GreetingInterface.Greet(name: try await proxy.greet(name: reply.greeting))
  let answer = try await connection.call(call, of: GreetingInterface.self, timeout: .seconds(1))
  return reply.length + answer.greeting.count
}

@MainActor
func askFromTheWindow(_ connection: AppExtensionConnection) async throws -> String {
  let services: [any GreetingInterface.Service] = [
    PlainGreeter(), FreeGreeter(), GreeterActor(), WindowGreeter(),
    connection.remoteObject(as: GreetingInterface.self),
  ]
  var said = ""
  for service in services { said += try await service.greet(name: "Ada") }
  return said
}

actor Caller {
  private let connection: AppExtensionConnection

  init(_ connection: AppExtensionConnection) { self.connection = connection }

  func greet() async throws -> String {
    do {
      return try await connection.remoteObject(as: GreetingInterface.self).greet(name: "Ada")
    } catch let error as GreetingInterface.NobodyThere {
      return error.name
    }
  }
}

nonisolated func watch() async throws -> [String] {
  let monitor = try await AppExtensionPoint.Monitor(appExtensionPoint: .greeting)
  for await change in monitor.changes where !change.added.isEmpty {
    let process = try await AppExtensionProcess(
      configuration: .init(appExtensionIdentity: change.added[0]) { reason in _ = reason.kind })
    let connection = try await process.makeConnection()
    connection.resume()
    _ = try await ask(connection)
  }
  return monitor.identities.map(\.localizedName)
}
