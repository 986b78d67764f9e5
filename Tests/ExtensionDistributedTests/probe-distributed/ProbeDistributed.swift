internal import Distributed
internal import DistributedNeighbour
internal import ExtensionDistributed
internal import ExtensionFoundation
internal import LinuxSystem

/// The other end of a connection that this program is given as descriptor 3: a neighbour in a process of its own.
@main
struct ProbeDistributed {
  static func main() async {
    guard let socket = FileDescriptor.inherited(3) else { CurrentProcess.exit(64) }
    let connection = AppExtensionConnection(SharedDescriptor(socket), activationID: "a", sceneID: nil)
    let ends = AsyncStream.makeStream(of: Void.self)
    connection.invalidationHandler = { _ in ends.continuation.yield() }
    let system = AppExtensionActorSystem(connection)
    system.allow(Parcel.self)
    system.allow(NoParcel.self)
    system.export(Probe(actorSystem: system), as: "probe", answering: $Neighbour.self)
    connection.resume()
    for await _ in ends.stream { break }
  }
}

distributed actor Probe: Neighbour {
  typealias ActorSystem = AppExtensionActorSystem

  distributed func process() -> Int32 { CurrentProcess.processID }

  distributed func fetch(_ name: String) async throws -> Parcel {
    var parcel = try await $Neighbour.resolve(id: "test", using: actorSystem).give(name)
    parcel.bytes.reverse()
    return parcel
  }

  distributed func give(_ name: String) throws -> Parcel { throw NoParcel.called(name) }

  distributed func wait() async throws {
    try await $Neighbour.resolve(id: "test", using: actorSystem).isWaiting()
    try await Task.sleep(for: .seconds(3600))
  }

  distributed func isWaiting() {}
}
