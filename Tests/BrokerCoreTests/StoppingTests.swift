import ExtensionInterfaces
import Testing

@testable import BrokerCore

private func running() throws -> (world: TestWorld, host: PeerID, activation: String) {
  let world = TestWorld()
  world.approve()
  let host = world.host(process: 500)
  return (world, host, try world.activation(world.activate(host)))
}

@Test(arguments: [true, false])
func `a connection that is not answered in time ends the instance as unresponsive`(activates: Bool) throws {
  let (world, host, activation) = try running()
  let stream = world.subscribe(world.host(process: 500))
  world.automatic.remove(.accept)
  let request =
    activates
    ? world.activate(host, connect: true) : world.call(host, .connect(.init(activation: activation)))
  world.pass(world.broker.limits.answerDeadline - 1)
  #expect(world.count("kill") == 0 && world.answerCount(request) == 0)
  world.pass(1)
  #expect(world.steps.last == "kill")
  try world.endInstance(InstanceEnd(executed: true, signal: 9))
  if activates {
    let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
    #expect(error.reason.kind == .unresponsive && error.reason.stage == "AcceptConnection")
  } else {
    let error = try world.error(request, as: BrokerInterface.ActivationEnded.self)
    #expect(error.reason.kind == .unresponsive && error.reason.stage == "AcceptConnection")
  }
  #expect(world.life(stream).last == "deactivated(unresponsive)")
  #expect(world.count("dropConnection") == 1 && world.answerCount(request) == 1)
  #expect(world.broker.crashes["sha256:1"]?.crashes.count == 1)
}

@Test func `a connection that waits for an instance that is stopping has no deadline of its own`() throws {
  let (world, host, activation) = try running()
  world.automatic.remove(.accept)
  let request = world.call(host, .connect(.init(activation: activation)))
  world.pass(world.broker.limits.answerDeadline - 1)
  world.admin(.stop(.init(target: TestWorld.extensionName)))
  #expect(world.broker.nextDeadline == world.now.monotonic + world.broker.limits.stopDeadline)
  world.pass(1)
  #expect(world.count("kill") == 0 && world.answerCount(request) == 0)
  try world.endInstance()
  _ = try world.error(request, as: BrokerInterface.ActivationEnded.self)
}

@Test func `an answer in time takes the deadline away, and a later one is nobody's`() throws {
  let (world, host, activation) = try running()
  world.automatic.remove(.accept)
  let request = world.call(host, .connect(.init(activation: activation)))
  let (instance, call) = (try world.instance, try world.pendingCall())
  world.pass(world.broker.limits.answerDeadline - 1)
  world.send(.answered(instance: instance, call: call, scenes: nil))
  world.send(.rejected(instance: instance, call: call, message: "too late"))
  world.pass(60_000)
  _ = try world.reply(request, as: BrokerInterface.Connect.Reply.self)
  #expect(world.answerCount(request) == 1 && world.count("kill") == 0)
  #expect(world.broker.nextDeadline == nil)
}

@Test func `who waits for a killed instance is answered even where its end does not come`() throws {
  let (world, host, activation) = try running()
  world.send(.misbehaved(instance: try world.instance, message: "not Varlink"))
  for _ in 0..<2 {
    let request = world.call(host, .connect(.init(activation: activation)))
    let error = try world.error(request, as: BrokerInterface.ActivationEnded.self)
    #expect(error.reason.kind == .crashed)
    world.pass(10_000)
  }
  #expect(world.count("accept") == 0)
}

@Test(arguments: [false, true])
func `an activation whose instance is asked to stop meanwhile fails with that reason`(connects: Bool) throws {
  let world = TestWorld()
  world.approve()
  world.automatic.remove(connects ? .accept : .lease)
  let request = world.activate(world.host(), connect: connects)
  let (instance, call) = (try world.instance, try world.pendingCall())
  let activation = try #require(world.broker.activations.keys.first)
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  if connects {
    world.send(.answered(instance: instance, call: call, scenes: nil))
  } else {
    world.send(.leaseKept(activation: activation))
  }
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .disabled)
  #expect(world.count("dropLease") == 1 && world.count("dropConnection") == (connects ? 1 : 0))
}

@Test func `a host that lets go while it waits for a connection gets none`() throws {
  let (world, host, activation) = try running()
  world.automatic.remove(.accept)
  let request = world.call(host, .connect(.init(activation: activation)))
  let (instance, call) = (try world.instance, try world.pendingCall())
  world.send(.leaseEnded(activation: activation, hostLives: true))
  let error = try world.error(request, as: BrokerInterface.ActivationEnded.self)
  #expect(error.reason.kind == .hostEnded && world.count("dropConnection") == 1)
  world.send(.answered(instance: instance, call: call, scenes: nil))
  #expect(world.answerCount(request) == 1)
}

@Test(arguments: [false, true])
func `a decision ends what runs from a copy that another one has replaced`(reset: Bool) throws {
  let (world, _, _) = try running()
  world.add([TestWorld.greeter(path: "/roots/Newer.appex", version: "2.0")])
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == "/roots/Newer.appex")
  #expect(world.count("stop") == 0)
  world.admin(
    reset
      ? .reset(.init(extension: TestWorld.extensionName))
      : .disable(.init(extension: TestWorld.extensionName)))
  #expect(world.count("stop") == 1)
}

@Test func `what is out of scope when the launcher comes is not launched`() throws {
  let world = TestWorld(ready: false)
  world.send(.launcherGone)
  world.approve()
  let request = world.activate(world.host())
  world.add([TestWorld.points(scope: .application)])
  world.connectLauncher()
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .policy && error.reason.rule == "scope")
  #expect(world.launches.isEmpty)
}
