internal import Distributed
internal import Testing
internal import Varlink

@testable internal import ExtensionDistributed
@testable internal import ExtensionFoundation

/// Two ends of a connection that talk in distributed actors.
@Suite(.timeLimit(.minutes(10))) struct DistributedCallTests {
  @Test func `Values of all kinds come there and back`() async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    let item = Item(
      kind: .saw, states: [.new, .worn(percent: 7), .lent(to: nil), .lent(to: "Ada")],
      parts: [Item(kind: .hammer, states: [])], price: 0.1, label: [0, 255, 7])
    #expect(try await remote.echo(item) == item)
    #expect(
      try await remote.scalars(true, -128, .max, 1e300, 0.1, "a\u{0}\"é")
        == "true -128 \(UInt64.max) 1e+300 0.1 a\u{0}\"é")
    #expect(
      try await remote.collections([[1], [], [2, 3]], ["a": 7, "b": nil], ["c"]) == [
        "a": [7], "b": [], "c": [1, 2, 3],
      ])
    #expect(try await remote.maybe(nil) == nil)
    #expect(try await remote.maybe(7) == 7)
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try await remote.bytes(bytes) == bytes.reversed())
  }

  @Test func `Both ends call at once, also while they answer`() async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    pair.host.export(Shop(actorSystem: pair.host), as: "office", answering: $Workshop.self)
    let office = try $Workshop.resolve(id: "office", using: pair.service)
    #expect(try await remote.askBack("office") == "true -1 2 0.5 0.25 back")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { try await Self.check(remote.maybe(number), number) }
        group.addTask { try await Self.check(office.maybe(number), number) }
        group.addTask { try await Self.check(remote.askBack("office"), "true -1 2 0.5 0.25 back") }
      }
      try await group.waitForAll()
    }
  }

  private static func check<Value: Equatable>(_ value: Value, _ expected: Value) {
    #expect(value == expected)
  }

  @Test func `Calls without an answer arrive in their order, before those after them`() async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    for number in 0..<200 {
      if number.isMultiple(of: 3) {
        try await remote.note("\(number)")
      } else {
        try await AppExtensionActorSystem.oneway { try await remote.note("\(number)") }
      }
    }
    #expect(try await remote.notes() == (0..<200).map { "\($0)" })
  }

  @Test func `A call without an answer does not wait for one`() async throws {
    let (pair, shop, remote) = try Pair.talking()
    defer { pair.invalidate() }
    try await AppExtensionActorSystem.oneway { try await remote.slow() }
    await shop.whenLocal { await $0.untilSlow() }
  }

  @Test func `An error comes as itself where both sides allow it, else as what it says`() async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    await #expect(throws: Misfortune.broken(tool: "saw")) { try await remote.fail("allowed") }
    let other = await error { _ = try await remote.fail("not allowed") }
    #expect(other?.code == .remoteError)
    #expect(other?.message == "a mishap")
    #expect(try await remote.fail("not at all") == 1)
  }

  @Test func `A call that is cancelled ends at once, the peer's method too`() async throws {
    let (pair, shop, remote) = try Pair.talking()
    defer { pair.invalidate() }
    let task = Task { try await remote.slow() }
    await shop.whenLocal { await $0.untilSlow() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await shop.whenLocal { await $0.untilCancelled() }
    #expect(try await remote.maybe(1) == 1)
  }

  @Test func `When the peer goes, each call ends once`() async throws {
    let (pair, shop, remote) = try Pair.talking()
    let codes = await withTaskGroup(of: AppExtensionError.Code?.self) { group in
      for _ in 0..<20 { group.addTask { await error { try await remote.slow() }?.code } }
      await shop.whenLocal { await $0.untilSlow() }
      pair.service.connection.invalidate()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: .connectionClosed, count: 20))
    #expect(await error { try await remote.note("late") }?.code == .connectionClosed)
    let oneway = await error { try await AppExtensionActorSystem.oneway { try await remote.note("late") } }
    #expect(oneway?.code == .connectionClosed)
  }

  @Test func `What ended is let go of`() async throws {
    weak var shop: Shop?
    weak var connection: AppExtensionConnection?
    let ends = AsyncStream.makeStream(of: Void.self)
    do {
      let (pair, actor, remote) = try Pair.talking()
      (shop, connection) = (actor, pair.service.connection)
      pair.service.connection.invalidationHandler = { _ in ends.continuation.yield() }
      try await remote.note("x")
      pair.host.connection.invalidate()
    }
    for await _ in ends.stream { break }
    // The sessions' thread lets go of it after the handler.
    let deadline = ContinuousClock.now + .seconds(120)
    while shop != nil || connection != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(shop == nil)
    #expect(connection == nil)
  }

  @Test func `An ordinary Varlink client can look`() async throws {
    let (pair, _, _) = try Pair.talking()
    defer { pair.invalidate() }
    let info = try await pair.host.connection.session(for: "").call(ServiceInterface.GetInfo().call())
    let reply = try ServiceInterface.GetInfo.Reply(object: info.reply.parameters, unknownMembers: .ignored)
    #expect(
      reply.interfaces == ["org.varlink.service", "io.extensiond.Distributed", "io.extensiond.Connection"])
  }
}
