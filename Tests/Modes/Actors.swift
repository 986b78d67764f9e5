// A user's code around distributed actors over a connection. Compiled by run-mode-tests, in each language mode.
internal import Distributed
internal import ExtensionDistributed
internal import ExtensionFoundation

// What goes over the wire is of no actor, whatever the default is.
nonisolated struct Remark: Codable, Sendable {
  var text: String
  var line: Int
}

nonisolated struct NoSuchLine: Error, Codable, Sendable { var line: Int }

@Resolvable
protocol Editor: DistributedActor where ActorSystem: DistributedActorSystem<any Codable & Sendable> {
  distributed func insert(_ remark: Remark) async throws -> [Remark]
  distributed func save() async throws
}

distributed actor TextEditor: Editor {
  typealias ActorSystem = AppExtensionActorSystem

  private var remarks: [Remark] = []

  distributed func insert(_ remark: Remark) throws -> [Remark] {
    guard remark.line > 0 else { throw NoSuchLine(line: remark.line) }
    remarks.append(remark)
    return remarks
  }

  distributed func save() async throws {
    let other = try $Editor.resolve(id: "other", using: actorSystem)
    try await AppExtensionActorSystem.oneway { try await other.save() }
  }
}

final class EditorExtension: AppExtension {
  var configuration: ConnectionHandler {
    ConnectionHandler { connection in
      let system = AppExtensionActorSystem(connection)
      system.allow(Remark.self)
      system.allow(NoSuchLine.self)
      system.export(TextEditor(actorSystem: system), as: "editor", answering: $Editor.self)
      connection.resume()
      return true
    }
  }
}

nonisolated func edit(_ connection: AppExtensionConnection) async throws -> Int {
  let system = AppExtensionActorSystem(connection)
  system.allow(Remark.self)
  system.allow(NoSuchLine.self)
  connection.resume()
  let editor = try $Editor.resolve(id: "editor", using: system)
  do {
    return try await editor.insert(Remark(text: "a", line: 1)).count
  } catch let error as NoSuchLine {
    return error.line
  }
}

@MainActor
func saveFromTheWindow(_ editor: $Editor<AppExtensionActorSystem>) async throws {
  try await editor.save()
  try await AppExtensionActorSystem.oneway { try await editor.save() }
}
