import ExtensionInterfaces
import Testing

@testable import BrokerCore

private func running() throws -> (world: TestWorld, host: PeerID, activation: String) {
  let world = TestWorld()
  world.approve()
  let host = world.host(process: 500)
  let request = world.activate(host)
  return (world, host, try world.activation(request))
}

/// The broker after a crash, with the decision that was stored; the launcher's table is still to come.
private func restarted() -> TestWorld {
  let decision = Decision(
    identifier: TestWorld.extensionName, verdict: .enabled, digest: "sha256:1", entitlements: [],
    rootOwned: false, time: 0, peer: "")
  return TestWorld(generation: "g2", decisions: [decision], ready: false)
}

@Test func `monitors get the whole state first, then changes in sequence, with counts`() throws {
  let world = TestWorld()
  let stream = world.subscribe(world.host())
  world.approve()
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  let replies = world.stream(stream)
  try #require(replies.map(\.sequence) == [1, 2, 3])
  #expect(replies[0].snapshot?.unapprovedCount == 1 && replies[0].snapshot?.identities.isEmpty == true)
  #expect(replies[1].change?.added.map(\.id) == [TestWorld.extensionName])
  #expect(replies[1].change?.unapprovedCount == 0)
  #expect(replies[2].change?.removed == [TestWorld.extensionName] && replies[2].change?.disabledCount == 1)
}

@Test func `monitors that heard equally much are told in one piece, others for themselves`() throws {
  let world = TestWorld()
  let early = [world.subscribe(world.host()), world.subscribe(world.host())]
  world.approve()
  let late = world.subscribe(world.host())
  let elsewhere = world.subscribe(world.host(), ["org.example.Editor.Other"])
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  let told = world.effects.compactMap { if case .tell(let requests, _) = $0 { Set(requests) } else { nil } }
  #expect(told.count == 3 && told[0] == Set(early) && Set(told[1...]) == [Set(early), [late]])
  for stream in early { #expect(world.stream(stream).map(\.sequence) == [1, 2, 3]) }
  #expect(world.stream(late).map(\.sequence) == [1, 2] && world.stream(elsewhere).count == 1)
  #expect(world.stream(late)[1].change == world.stream(early[0])[2].change)
  #expect(world.stream(late)[1].change?.removed == [TestWorld.extensionName])
}

@Test func `a slow subscriber gets one whole state when it has read what waits`() throws {
  let world = TestWorld()
  let host = world.host()
  let stream = world.subscribe(host)
  world.send(.peerBlocked(host))
  world.approve()
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  world.approve()
  #expect(world.stream(stream).count == 1)
  world.send(.peerDrained(host))
  world.send(.peerDrained(host))
  let replies = world.stream(stream)
  #expect(replies.map(\.sequence) == [1, 2])
  #expect(replies[1].snapshot?.identities.map(\.id) == [TestWorld.extensionName])
}

@Test func `the end of the launcher is the end of every instance, with that reason`() throws {
  let (world, host, _) = try running()
  let stream = world.subscribe(host)
  world.send(.launcherGone)
  #expect(world.life(stream).last == "deactivated(launcherGone)")
  #expect(world.broker.instances.isEmpty && world.broker.activations.isEmpty)
}

@Test func `an activation that waits goes on with the next launcher`() throws {
  let world = TestWorld()
  world.approve()
  world.automatic.remove(.launch)
  let request = world.activate(world.host())
  world.send(.launcherGone)
  #expect(world.answerCount(request) == 0)
  world.automatic.insert(.launch)
  world.connectLauncher()
  _ = try world.activation(request)
  #expect(world.launches.count == 2)
}

@Test func `a broker that starts anew takes back instances and activations`() throws {
  let (old, _, activation) = try running()
  let world = restarted()
  world.send(.launcherConnected(TestWorld.launcher))
  let instance = try old.instance
  world.send(.restoredInstance(id: instance, processID: 4242, executed: true, note: old.note(instance)))
  world.send(
    .restoredActivation(
      id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.restored)
  let host = world.host(process: 500)
  #expect(world.life(world.subscribe(host)) == ["activated"])
  let connected = world.call(host, .connect(.init(activation: activation)))
  _ = try world.reply(connected, as: BrokerInterface.Connect.Reply.self)
  let other = world.call(world.host(process: 501), .connect(.init(activation: activation)))
  _ = try world.error(other, as: BrokerInterface.ActivationNotFound.self)
  #expect(world.count("launch") == 0 && world.count("stop") == 0)
}

@Test(arguments: [true, false])
func `an end while no broker was there is told, and forgotten only then`(subscribes: Bool) throws {
  let (old, _, activation) = try running()
  let instance = try old.instance
  let world = restarted()
  world.send(.launcherConnected(TestWorld.launcher))
  world.send(.ended(instance: instance, note: old.note(instance), InstanceEnd(executed: true, signal: 11)))
  world.send(
    .restoredActivation(
      id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.restored)
  #expect(world.count("forget") == 0)
  let host = world.host(process: 500)
  #expect(world.count("forget") == 0)
  if subscribes {
    #expect(world.life(world.subscribe(host)) == ["deactivated(crashed)"])
  } else {
    let request = world.call(host, .getActivation(.init(activation: activation)))
    let event = try world.reply(request, as: BrokerInterface.GetActivation.Reply.self).event
    #expect(event.state == .deactivated && event.reason?.kind == .crashed)
  }
  #expect(world.count("forget") == 1)
  world.pass(120_000)
  #expect(world.count("forget") == 1)
}

@Test func `an end that nobody asks for is given up to tell after a while`() throws {
  let (world, _, _) = try running()
  try world.endInstance()
  #expect(world.count("forget") == 0)
  world.pass(60_000)
  #expect(world.count("forget") == 1 && world.broker.nextDeadline == nil)
}

@Test(arguments: [("sha256:2", .changed), (nil, .removed)] as [(String?, Reason.Kind)])
func `what changes while it waits for the launcher is not launched`(
  digest: String?, kind: Reason.Kind
) throws {
  let world = TestWorld(ready: false)
  world.send(.launcherGone)
  world.approve()
  let request = world.activate(world.host())
  #expect(world.steps == ["check"])
  if let digest {
    world.add([TestWorld.greeter(digest: digest)])
  } else {
    world.send(.bundles(found: [], removed: [TestWorld.path]))
  }
  world.connectLauncher()
  #expect(world.launches.isEmpty)
  #expect(try world.error(request, as: BrokerInterface.ActivationFailed.self).reason.kind == kind)
}

@Test func `the checked directory is released when what waits for a launcher is given up`() throws {
  let world = TestWorld(ready: false)
  world.send(.launcherGone)
  world.approve()
  let request = world.activate(world.host())
  world.pass(10_000)
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .startTimedOut && error.reason.stage == "launcher")
  #expect(world.effects.count { if case .releaseBundle = $0 { true } else { false } } == 1)
}
