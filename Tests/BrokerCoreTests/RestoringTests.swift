import ExtensionInterfaces
import Testing

@testable import BrokerCore

// What is taken back from the launcher, and what may be done before that is known.

private func running() throws -> (world: TestWorld, activation: String) {
  let world = TestWorld()
  world.approve()
  return (world, try world.activation(world.activate(world.host(process: 500))))
}

private func restarted(generation: String = "g2") -> TestWorld {
  let decision = Decision(
    identifier: TestWorld.extensionName, verdict: .enabled, digest: "sha256:1", entitlements: [],
    rootOwned: false, time: 0, peer: "")
  return TestWorld(generation: generation, decisions: [decision], ready: false)
}

private func launcher(unsettledStarts: Int) -> Event {
  .launcherConnected(LauncherFacts(processID: 77, controlGroups: true, unsettledStarts: unsettledStarts))
}

@Test func `nothing is launched before the next launcher's table is in`() throws {
  let world = TestWorld()
  world.approve()
  world.send(.launcherGone)
  let first = world.activate(world.host())
  world.send(launcher(unsettledStarts: 0))
  let second = world.activate(world.host())
  world.pass(1)
  #expect(world.steps == ["check"])
  #expect(world.answerCount(first) == 0 && world.answerCount(second) == 0)
  let before = world.effects.count
  world.send(.restored)
  let order = world.effects[before...].compactMap { effect in
    switch effect {
    case .settled: "settled"
    case .checkBundle: "check"
    case .launch: "launch"
    default: nil
    }
  }
  #expect(order == ["settled", "launch", "check", "launch"])
  #expect(try world.activation(first) != world.activation(second))
}

/// What a new broker is told comes in any order.
@Test(
  arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]],
  [Decision.Verdict.enabled, .disabled])
func `an instance of before runs on if it may, in whatever order that is known`(
  order: [Int], verdict: Decision.Verdict
) throws {
  let (old, activation) = try running()
  let instance = try old.instance
  let decision = Decision(
    identifier: TestWorld.extensionName, verdict: verdict, digest: "sha256:1", entitlements: [],
    rootOwned: false, time: 0, peer: "")
  let world = TestWorld(unknowing: "g2")
  for step in order {
    switch step {
    case 0:
      world.send(.decisionsLoaded([decision]))
      world.send(.policyLoaded(Policy()))
    case 1:
      world.send(.bundles(found: [TestWorld.points()], removed: []))
      world.send(.bundles(found: [TestWorld.greeter()], removed: []))
      world.send(.scanned(0))
    default:
      world.send(launcher(unsettledStarts: 0))
      world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: old.note(instance)))
      world.send(
        .restoredActivation(
          id: activation, instance: instance, note: old.note(activation), endedByHost: false))
      world.send(.restored)
    }
  }
  #expect(world.broker.instances[instance]?.isStopping == (verdict == .disabled))
  let watched = world.effects.compactMap { effect -> Bool? in
    if case .watchContent(TestWorld.path, let wanted) = effect { wanted } else { nil }
  }
  #expect(watched.last == (verdict == .enabled))
}

@Test func `an instance of before runs on while nobody can read the root of its bundle`() throws {
  let (old, activation) = try running()
  let instance = try old.instance
  let world = TestWorld(unknowing: "g2")
  world.send(.decisionsLoaded([]))
  world.send(.policyLoaded(Policy()))
  world.send(.rootsUnread(["/roots"]))
  world.send(.scanned(0))
  world.send(launcher(unsettledStarts: 0))
  world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: old.note(instance)))
  world.send(
    .restoredActivation(id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.restored)
  // Nor is anything noted as gone, which would be forgotten some day.
  var isPresenceNoted: Bool {
    world.effects.contains { if case .notePresent = $0 { true } else { false } }
  }
  #expect(world.broker.instances[instance]?.phase == .running && !isPresenceNoted)
  world.send(.rootsUnread([]))
  #expect(world.broker.instances[instance]?.isStopping == true && isPresenceNoted)
}

@Test func `an instance of before is found in the table and not launched a second time`() throws {
  let (old, activation) = try running()
  let world = restarted()
  let instance = try old.instance
  world.send(launcher(unsettledStarts: 0))
  let request = world.activate(world.host(process: 500))
  world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: old.note(instance)))
  world.send(
    .restoredActivation(id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.restored)
  _ = try world.activation(request)
  #expect(world.launches.isEmpty && world.broker.instances.count == 1)
}

@Test func `a launcher that dies while it tells its table loses no end`() throws {
  let (old, activation) = try running()
  let world = restarted()
  let instance = try old.instance
  world.send(launcher(unsettledStarts: 0))
  world.send(.ended(instance: instance, note: old.note(instance), InstanceEnd(executed: true, signal: 11)))
  world.send(
    .restoredActivation(id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.launcherGone)
  #expect(world.broker.instances.isEmpty && world.broker.activations.isEmpty)
  #expect(world.life(world.subscribe(world.host(process: 500))) == ["deactivated(crashed)"])
  world.connectLauncher()
  #expect(world.life(world.subscribe(world.host(process: 500))).isEmpty)
  #expect(world.broker.restoredEnds.isEmpty)
}

@Test func `an end that comes as an event and as a row of the table is one end`() throws {
  let (old, activation) = try running()
  let world = restarted()
  let instance = try old.instance
  let ended = Event.ended(
    instance: instance, note: old.note(instance), InstanceEnd(executed: true, signal: 11))
  world.send(launcher(unsettledStarts: 0))
  world.send(ended)
  world.send(ended)
  world.send(
    .restoredActivation(id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.restored)
  #expect(world.broker.crashes["sha256:1"]?.crashes.count == 1 && world.count("forget") == 0)
  #expect(world.life(world.subscribe(world.host(process: 500))) == ["deactivated(crashed)"])
  #expect(world.count("forget") == 1)
}

@Test func `a launcher that dies while it tells its table ends also what it has told half`() throws {
  let (old, activation) = try running()
  let world = restarted()
  world.send(launcher(unsettledStarts: 0))
  world.send(
    .restoredActivation(
      id: activation, instance: try old.instance, note: old.note(activation), endedByHost: false))
  world.send(.launcherGone)
  #expect(world.life(world.subscribe(world.host(process: 500))) == ["deactivated(launcherGone)"])
  #expect(world.broker.activations.isEmpty)
}

@Test func `what was stopping when the broker died has its time before it is killed`() throws {
  let (old, _) = try running()
  old.admin(.disable(.init(extension: TestWorld.extensionName)))
  let world = restarted()
  let instance = try old.instance
  world.send(launcher(unsettledStarts: 0))
  world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: old.note(instance)))
  world.send(.restored)
  #expect(world.steps == ["terminate"])
  world.pass(world.broker.limits.terminateDeadline - 1)
  #expect(world.steps == ["terminate"])
  world.pass(1)
  #expect(world.steps == ["terminate", "kill"])
}

@Test(arguments: [(2, false), (3, true), (7, true)])
func `a broker that follows on three that were lost early ends everything and starts clean`(
  unsettledStarts: Int, clean: Bool
) throws {
  let (old, activation) = try running()
  let world = restarted()
  let instance = try old.instance
  let note = old.note(instance)
  world.send(launcher(unsettledStarts: unsettledStarts))
  world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: note))
  world.send(
    .restoredActivation(id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  // Ended while no broker was there. Its note may be what kills brokers, so it is not looked at either.
  world.send(.ended(instance: "g1-99", note: note, InstanceEnd(executed: true, signal: 11)))
  world.send(.restored)
  #expect(world.steps == (clean ? ["kill", "endLease", "forget"] : ["forget"]))
  #expect(world.broker.instances.count == (clean ? 0 : 1))
  #expect(world.broker.activations.count == (clean ? 0 : 1))
  #expect(world.broker.crashes.isEmpty == clean)
  let entries = world.effects.compactMap { if case .log(let entry) = $0 { entry } else { nil } }
  #expect(entries.contains { $0.level == .error && $0.fields["EVENT"] == "launcher.startedClean" } == clean)
  guard clean else { return }
  world.send(.ended(instance: instance, note: note, InstanceEnd(executed: true, signal: 9)))
  #expect(world.count("forget") == 2)
  _ = try world.activation(world.activate(world.host(process: 500)))
}

@Test func `a launcher that does not fit is named to all who wait, until one comes that does`() throws {
  let world = TestWorld(ready: false)
  world.send(.launcherGone)
  world.approve()
  let waiting = world.activate(world.host())
  #expect(world.answerCount(waiting) == 0)
  world.send(.launcherRefused(message: "it is too new; restart the other"))
  for request in [waiting, world.activate(world.host())] {
    let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
    #expect(error.reason.kind == .startFailed && error.reason.stage == "launcher")
    #expect(error.message.contains("it is too new; restart the other"))
  }
  let status = try world.reply(world.admin(.status(.init())), as: AdminInterface.Status.Reply.self)
  #expect(status.launcher == .absent && status.warnings == ["it is too new; restart the other"])
  let explained = try world.reply(
    world.admin(.explain(.init(extension: TestWorld.extensionName))), as: AdminInterface.Explain.Reply.self)
  let gate = explained.gates.first { $0.name == "launcher" }
  #expect(gate?.result == .fail && gate?.evidence == "it is too new; restart the other")
  #expect(world.launches.isEmpty && world.broker.instances.isEmpty)
  world.send(.launcherGone)
  world.connectLauncher()
  _ = try world.activation(world.activate(world.host()))
  let after = try world.reply(world.admin(.status(.init())), as: AdminInterface.Status.Reply.self)
  #expect(after.launcher == .connected && after.warnings.isEmpty)
}
