import ExtensionInterfaces
import Testing

@testable import BrokerCore

// What an instance is held to, and what is told of it.

extension TestWorld {
  fileprivate func limits() throws -> [AdminInterface.Bound] {
    let reply = try reply(
      admin(.list(.init(extension: Self.extensionName))), as: AdminInterface.List.Reply.self)
    return try #require(reply.extensions.first?.limits)
  }

  /// The calls of MemoryPressure.
  fileprivate var pressures: [(call: String, used: Int, limit: Int)] {
    effects.compactMap {
      if case .tellMemoryPressure(_, let call, let used, let limit) = $0 { (call, used, limit) } else { nil }
    }
  }
}

@Test func `who says nothing has the limits of everybody, and what holds them is told`() throws {
  let world = TestWorld(ready: false)
  world.send(.launcherGone)
  #expect(try world.limits().allSatisfy { $0.holds == nil })
  world.send(
    .launcherConnected(
      LauncherFacts(
        processID: 7, controlGroups: true, unsettledStarts: 0, controllers: ["memory", "pids", "cpu"],
        limitsProcesses: false)))
  world.send(.restored)
  let limits = Limits()
  #expect(
    try world.limits() == [
      .init(name: .memory, value: limits.instanceMemory, holds: .instance),
      .init(name: .processes, value: limits.instanceProcesses, holds: .instance),
      .init(name: .openFiles, value: limits.instanceOpenFiles, holds: .process),
      .init(name: .fileSize, value: limits.instanceFileSize, holds: .process),
    ])
}

@Test(arguments: [true, false]) func `what nothing holds is told as such`(limitsProcesses: Bool) throws {
  var facts = TestWorld.greeter()
  facts.bounds = ResourceBounds(memory: 64 << 20, processes: 9, cpuWeight: 50)
  let world = TestWorld(bundles: [TestWorld.points(), facts], ready: false)
  world.send(
    .launcherConnected(
      LauncherFacts(
        processID: 7, controlGroups: false, unsettledStarts: 0, limitsProcesses: limitsProcesses)))
  world.send(.restored)
  let texts = try world.limits().prefix(3).map(\.text)
  let not = " (not enforced: nothing on this machine holds it)"
  #expect(
    texts == [
      "memory 64 MiB of each process", "9 processes" + (limitsProcesses ? "" : not), "CPU weight 50" + not,
    ])
}

@Test func `memory pressure is told to an extension that knows the call, once until it answers`() throws {
  let world = TestWorld()
  world.hearsMemoryPressure = true
  world.approve()
  _ = try world.activation(world.activate(world.host()))
  let instance = try world.instance
  world.send(.memoryPressure(instance: instance, used: 90, limit: 100))
  world.send(.memoryPressure(instance: instance, used: 91, limit: 100))
  #expect(world.pressures.map(\.used) == [90])
  let first = try #require(world.pressures.first)
  world.send(.answered(instance: instance, call: first.call, scenes: nil))
  world.send(.memoryPressure(instance: instance, used: 92, limit: 100))
  #expect(world.pressures.map(\.used) == [90, 92])
  // Not even an error does it any harm.
  world.send(.rejected(instance: instance, call: try #require(world.pressures.last).call, message: "no"))
  #expect(world.broker.instances[instance]?.phase == .running)
}

@Test func `an extension that does not know the call is never called with it`() throws {
  let world = TestWorld()
  world.approve()
  _ = try world.activation(world.activate(world.host()))
  world.send(.memoryPressure(instance: try world.instance, used: 90, limit: 100))
  #expect(world.pressures.isEmpty)
}

@Test func `a broker that takes an instance back tells it of memory pressure too`() throws {
  let old = TestWorld()
  old.hearsMemoryPressure = true
  old.approve()
  _ = try old.activation(old.activate(old.host()))
  let world = TestWorld(ready: false)
  let instance = try old.instance
  world.send(.launcherConnected(TestWorld.launcher))
  world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: old.note(instance)))
  world.send(.memoryPressure(instance: instance, used: 90, limit: 100))
  #expect(world.pressures.count == 1)
}
