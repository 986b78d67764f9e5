import ExtensionInterfaces
import Testing
import Varlink

@testable import BrokerCore

// One display an instance, made once, whoever is refused meanwhile.

private func shown(
  userInterface: Bool = true, policy: PointFacts.InstancePolicy = .perHost,
  runtime: BundleFacts.Runtime = .varlink
) -> TestWorld {
  var greeter = TestWorld.greeter()
  greeter.runtime = runtime
  let points = TestWorld.points(policy: policy, userInterface: userInterface)
  let world = TestWorld(bundles: [points, greeter])
  world.approve()
  return world
}

extension TestWorld {
  /// To which instances the extension's end went, and to which requests the host's.
  fileprivate var offered: [String] {
    effects.compactMap { if case .accept(let id, _, _, _, _, true) = $0 { id } else { nil } }
  }
}

@Test func `the first connection that is shown brings the display, later ones the same instance`() throws {
  let world = shown()
  let peer = world.host(process: 500)
  let first = world.activate(peer, scene: "a", connect: true, display: true)
  let instance = try world.instance
  let reply = try world.reply(first, as: BrokerInterface.Activate.Reply.self)
  #expect(reply.instance == instance && reply.displayFileDescriptor == 2)
  #expect(world.descriptors(first).last == .display(instance: instance))
  let activation = reply.activation
  let second = world.activate(world.host(process: 500), scene: "b", connect: true, display: true)
  let third = world.call(peer, .connect(.init(activation: activation, display: true)))
  #expect(try world.reply(second, as: BrokerInterface.Activate.Reply.self).instance == instance)
  #expect(try world.reply(second, as: BrokerInterface.Activate.Reply.self).displayFileDescriptor == nil)
  #expect(try world.reply(third, as: BrokerInterface.Connect.Reply.self).instance == instance)
  #expect(try world.reply(third, as: BrokerInterface.Connect.Reply.self).displayFileDescriptor == nil)
  #expect(world.descriptors(second).count == 2 && world.descriptors(third).count == 1)
  #expect(world.offered == [instance])
}

@Test func `a connection that is not shown brings no display`() throws {
  let world = shown()
  let peer = world.host()
  let first = world.activate(peer, connect: true)
  #expect(world.offered.isEmpty && world.descriptors(first).count == 2)
  let second = world.call(peer, .connect(.init(activation: try world.activation(first), display: true)))
  #expect(try world.reply(second, as: BrokerInterface.Connect.Reply.self).displayFileDescriptor == 1)
}

@Test func `each process of a host has an instance of its own, and so a display`() throws {
  let world = shown()
  let first = world.activate(world.host(process: 500), scene: "a", connect: true, display: true)
  let second = world.activate(world.host(process: 501), scene: "a", connect: true, display: true)
  #expect(world.descriptors(first).count == 3 && world.descriptors(second).count == 3)
  #expect(world.offered.count == 2 && Set(world.offered).count == 2)
}

@Test(arguments: [PointFacts.InstancePolicy.perScene, .shared])
func `where instances are many, or would be shared, each host's scene still has its display`(
  policy: PointFacts.InstancePolicy
) throws {
  let world = shown(policy: policy)
  let first = world.activate(world.host(process: 500), scene: "a", connect: true, display: true)
  let second = world.activate(world.host(process: 501), scene: "b", connect: true, display: true)
  #expect(world.descriptors(first).count == 3 && world.descriptors(second).count == 3)
}

@Test func `who was refused leaves the display to the next one`() throws {
  let world = shown()
  let peer = world.host(process: 500)
  let activation = try world.activation(world.activate(peer))
  world.automatic.remove(.accept)
  let refused = world.call(peer, .connect(.init(activation: activation, display: true)))
  let instance = try world.instance
  world.send(.rejected(instance: instance, call: try world.pendingCall(), message: "no"))
  _ = try world.error(refused, as: BrokerInterface.ConnectionRejected.self)
  world.automatic.insert(.accept)
  let accepted = world.call(peer, .connect(.init(activation: activation, display: true)))
  #expect(world.descriptors(accepted).last == .display(instance: instance))
  #expect(world.offered == [instance])
  #expect(world.count("dropDisplay") == 0)
}

@Test func `a display that nobody took ends with its instance`() throws {
  let world = shown()
  world.automatic.remove(.accept)
  world.activate(world.host(), connect: true, display: true)
  try world.endInstance()
  #expect(world.count("dropDisplay") == 1)
}

@Test func `one that could not be made is made for the next`() throws {
  let world = shown()
  let peer = world.host()
  let activation = try world.activation(world.activate(peer))
  let instance = try world.instance
  world.automatic.remove(.accept)
  world.call(peer, .connect(.init(activation: activation, display: true)))
  world.send(.displayFailed(instance: instance))
  world.send(.rejected(instance: instance, call: try world.pendingCall(), message: "no descriptors are left"))
  world.automatic.insert(.accept)
  let next = world.call(peer, .connect(.init(activation: activation, display: true)))
  #expect(world.descriptors(next).count == 2)
}

@Test func `what has no interface is refused, and the error says what to do`() throws {
  for (world, words) in [
    (shown(userInterface: false), "UserInterface"), (shown(runtime: .stdio), "Runtime wayland"),
  ] {
    let peer = world.host()
    let refused = world.activate(peer, connect: true, display: true)
    #expect(
      try world.error(refused, as: BrokerInterface.DisplayUnavailable.self).message.contains(words))
    #expect(world.launches.isEmpty)
    // It is used without being shown.
    let activation = try world.activation(world.activate(peer))
    let connect = world.call(peer, .connect(.init(activation: activation, display: true)))
    #expect(
      try world.error(connect, as: BrokerInterface.DisplayUnavailable.self).message.contains(words))
  }
}

@Test func `a program of wayland needs a point with an interface, and has a process for each use`() throws {
  let world = shown(userInterface: false, runtime: .wayland)
  _ = try world.error(world.activate(world.host()), as: BrokerInterface.DisplayUnavailable.self)
  let other = shown(runtime: .wayland)
  let peer = other.host()
  let first = other.activate(peer, scene: "a", connect: true, display: true)
  let second = other.activate(peer, scene: "a", connect: true, display: true)
  #expect(other.descriptors(first).count == 3 && other.descriptors(second).count == 3)
  #expect(other.launches.count == 2 && other.launches.allSatisfy(\.isShown))
}

@Test func `a display comes with a connection`() throws {
  let world = shown()
  let request = world.activate(world.host(), display: true)
  #expect(try world.error(request, as: ServiceInterface.InvalidParameter.self).parameter == "display")
}

/// Offered to the extension, or given to both.
@Test(arguments: [false, true])
func `a broker that starts anew gives no second display`(wasGiven: Bool) throws {
  let old = shown()
  let activation = try old.activation(old.activate(old.host(process: 500)))
  let instance = try old.instance
  let isShown = { old.note(instance).contains("given") }
  #expect(!isShown())
  if !wasGiven { old.automatic.remove(.accept) }
  old.call(old.host(process: 500), .connect(.init(activation: activation, display: true)))
  #expect(isShown())
  let decision = Decision(
    identifier: TestWorld.extensionName, verdict: .enabled, digest: "sha256:1", entitlements: [],
    rootOwned: false, time: 0, peer: "")
  let world = TestWorld(
    generation: "g2", bundles: [TestWorld.points(userInterface: true), TestWorld.greeter()],
    decisions: [decision], ready: false)
  world.send(.launcherConnected(TestWorld.launcher))
  world.send(.restoredInstance(id: instance, processID: 9, executed: true, note: old.note(instance)))
  world.send(
    .restoredActivation(
      id: activation, instance: instance, note: old.note(activation), endedByHost: false))
  world.send(.restored)
  let request = world.call(
    world.host(process: 500), .connect(.init(activation: activation, display: true)))
  let reply = try world.reply(request, as: BrokerInterface.Connect.Reply.self)
  #expect(reply.instance == instance && reply.displayFileDescriptor == nil)
  #expect(world.offered.isEmpty)
}
