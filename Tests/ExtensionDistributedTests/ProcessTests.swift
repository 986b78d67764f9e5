internal import Distributed
internal import DistributedNeighbour
internal import LinuxSystem
internal import Testing

@testable internal import ExtensionDistributed
@testable internal import ExtensionFoundation

/// Two processes that talk in distributed actors. The other one is linked statically, as extensions are.
@Suite(.timeLimit(.minutes(10))) struct ProcessTests {
  private distributed actor Home: Neighbour {
    typealias ActorSystem = AppExtensionActorSystem

    private let waiting = AsyncStream.makeStream(of: Void.self)

    distributed func process() -> Int32 { CurrentProcess.processID }
    distributed func fetch(_ name: String) throws -> Parcel { throw NoParcel.called(name) }

    distributed func give(_ name: String) throws -> Parcel {
      guard !name.isEmpty else { throw NoParcel.called(name) }
      return Parcel(name: name, bytes: [1, 2, 3])
    }

    distributed func wait() {}
    distributed func isWaiting() { waiting.continuation.yield() }
    func untilWaiting() async { for await _ in waiting.stream { return } }
  }

  private final class Probe {
    let child: SharedProcess
    let system: AppExtensionActorSystem
    let home: Home
    let remote: $Neighbour<AppExtensionActorSystem>

    init() throws {
      let (ours, theirs) = try Socket.pair()
      let name = "probe-distributed"
      let places = [
        CurrentProcess.environment("EXTENSIOND_BUILD"), CurrentProcess.programDirectory, ".build/debug",
      ]
      let found = try #require(places.compactMap(\.self).first { File.exists("\($0)/\(name)") })
      let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
      child = SharedProcess(
        try Spawn(
          path: "\(found)/\(name)", arguments: [],
          environment: ["PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no"],
          descriptors: [null, null, null, theirs]
        ).run())
      system = AppExtensionActorSystem(Pair.connection(ours))
      system.allow(Parcel.self)
      system.allow(NoParcel.self)
      home = Home(actorSystem: system)
      system.export(home, as: "test", answering: $Neighbour.self)
      system.connection.resume()
      remote = try $Neighbour.resolve(id: "probe", using: system)
    }

    deinit {
      system.connection.invalidate()
      child.send(signal: Signals.kill)
      _ = try? child.process.reap()
    }
  }

  @Test func `Calls and errors go both ways between two processes`() async throws {
    let probe = try Probe()
    let number = try await probe.remote.process()
    #expect(number != CurrentProcess.processID)
    #expect(number > 0)
    #expect(try await probe.remote.fetch("tea") == Parcel(name: "tea", bytes: [3, 2, 1]))
    await #expect(throws: NoParcel.called("")) { try await probe.remote.fetch("") }
    await #expect(throws: NoParcel.called("x")) { try await probe.remote.give("x") }
  }

  @Test func `When the peer is killed in the middle, each call ends once, with an error`() async throws {
    let probe = try Probe()
    let codes = await withTaskGroup(of: AppExtensionError.Code?.self) { group in
      for _ in 0..<20 {
        group.addTask { [remote = probe.remote] in await error { try await remote.wait() }?.code }
      }
      await probe.home.whenLocal { await $0.untilWaiting() }
      probe.child.send(signal: Signals.kill)
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: .connectionClosed, count: 20))
  }
}
