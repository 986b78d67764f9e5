import ExtensionInterfaces
import Testing

@testable import BrokerCore

private func approved(
  policy: PointFacts.InstancePolicy = .perHost, limits: Limits = Limits()
) -> TestWorld {
  let world = TestWorld(limits: limits, bundles: [TestWorld.points(policy: policy), TestWorld.greeter()])
  world.approve()
  return world
}

@Test func `an activation is launch, start, lease, accept, then one reply with lease and connection`() throws
{
  let world = approved()
  let request = world.activate(world.host(), connect: true)
  #expect(world.steps == ["check", "launch", "start", "lease", "accept"])
  #expect(world.answerCount(request) == 1)
  let reply = try world.reply(request, as: BrokerInterface.Activate.Reply.self)
  #expect(reply.leaseFileDescriptor == 0 && reply.connectionFileDescriptor == 1)
  let descriptors = world.descriptors(request)
  #expect(descriptors.count == 2 && descriptors[0] == .lease(activation: reply.activation))
  if case .connection = descriptors[1] {} else { Issue.record("the second is the connection") }
}

@Test func `a scene that the extension does not offer is refused by name`() throws {
  let world = approved()
  world.scenes = ["main"]
  let request = world.activate(world.host(), scene: "other")
  #expect(try world.error(request, as: BrokerInterface.SceneNotFound.self).scenes == ["main"])
  #expect(world.broker.activations.isEmpty)
  #expect(world.count("stop") == 1)
}

@Test(arguments: [true, false])
func `a connection that the extension does not want fails the activation`(unknownScene: Bool) throws {
  let world = approved()
  world.automatic.remove(.accept)
  let request = world.activate(world.host(), scene: "a", connect: true)
  let (instance, call) = (try world.instance, try world.pendingCall())
  if unknownScene {
    world.send(.sceneUnknown(instance: instance, call: call, scene: "a"))
    _ = try world.error(request, as: BrokerInterface.SceneNotFound.self)
  } else {
    world.send(.rejected(instance: instance, call: call, message: "no"))
    #expect(try world.error(request, as: BrokerInterface.ConnectionRejected.self).message == "no")
  }
  #expect(world.count("dropConnection") == 1 && world.count("dropLease") == 1 && world.count("endLease") == 1)
  #expect(world.broker.activations.isEmpty)
}

@Test(arguments: [
  (TestWorld.Automatic.check, "check"), (.launch, "launch"), (.start, "Start"),
])
func `a start that takes too long is over at its deadline, which names the stage`(
  missing: TestWorld.Automatic, stage: String
) throws {
  let world = approved()
  world.automatic.remove(missing)
  let request = world.activate(world.host())
  world.pass(9_999)
  #expect(world.answerCount(request) == 0)
  world.pass(1)
  if !world.launches.isEmpty {
    #expect(world.steps.last == "kill")
    try world.endInstance(InstanceEnd(executed: true, signal: 9))
  }
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .startTimedOut && error.reason.stage == stage)
}

@Test func `three crashes are a quarantine, and reset ends it`() throws {
  let world = approved()
  world.automatic.remove(.start)
  let host = world.host()
  for _ in 0..<3 {
    world.activate(host)
    world.pass(2_000)
    try world.endInstance(InstanceEnd(executed: true, signal: 11))
  }
  let error = try world.error(world.activate(host), as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .quarantined)
  world.admin(.reset(.init(extension: TestWorld.extensionName)))
  world.approve()
  world.automatic.insert(.start)
  _ = try world.activation(world.activate(host))
}

@Test func `an idle instance is asked to stop, then terminated, then killed`() throws {
  let world = approved()
  let request = world.activate(world.host())
  world.send(.leaseEnded(activation: try world.activation(request), hostLives: true))
  #expect(world.steps.suffix(2) == ["endLease", "stop"])
  world.pass(5_000)
  #expect(world.steps.last == "terminate")
  world.pass(2_000)
  #expect(world.steps.last == "kill")
  try world.endInstance(InstanceEnd(executed: true, signal: 9))
  #expect(world.count("forget") == 1 && world.broker.instances.isEmpty)
}

@Test(arguments: [
  InstanceEnd(executed: true, signal: 11), InstanceEnd(executed: true, signal: 9, outOfMemoryKills: 1),
])
func `a crash counts even where its host's end is heard of first`(end: InstanceEnd) throws {
  let world = approved()
  let host = world.host()
  func crash(after milliseconds: Int64) throws {
    let request = world.activate(host)
    world.send(.leaseEnded(activation: try world.activation(request), hostLives: true))
    world.pass(milliseconds)
    try world.endInstance(end)
    world.pass(2_000)
  }
  // Not what SIGTERM has done.
  for _ in 0..<3 { try crash(after: 5_000) }
  for _ in 0..<3 { try crash(after: 0) }
  let error = try world.error(world.activate(host), as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .quarantined)
}

@Test func `a request to stop is answered when everything has ended`() throws {
  let world = approved()
  world.activate(world.host())
  let stop = world.admin(.stop(.init(target: TestWorld.extensionName)))
  #expect(world.answerCount(stop) == 0)
  try world.endInstance()
  #expect(try world.reply(stop, as: AdminInterface.Stop.Reply.self).ended == 1)
}

@Test(arguments: [(true, "deactivated(hostEnded)"), (false, "deactivated(hostGone)")])
func `a host that ends its lease is told from one that is gone`(lives: Bool, end: String) throws {
  let world = approved()
  let host = world.host()
  let stream = world.subscribe(host)
  let request = world.activate(host)
  world.send(.leaseEnded(activation: try world.activation(request), hostLives: lives))
  world.send(.leaseEnded(activation: try world.activation(request), hostLives: lives))
  #expect(world.life(stream) == ["activated", end])
}

@Test func `stale answers are not mistaken for others`() throws {
  let world = approved()
  world.automatic.remove([.start, .accept])
  let request = world.activate(world.host(), connect: true)
  let (instance, start) = (try world.instance, try world.pendingCall())
  world.send(.answered(instance: instance, call: "g0.1", scenes: nil))
  world.send(.rejected(instance: instance, call: "g0.2", message: "old"))
  #expect(world.count("lease") == 0)
  world.send(.answered(instance: instance, call: start, scenes: nil))
  world.send(.answered(instance: instance, call: start, scenes: nil))
  #expect(world.answerCount(request) == 0)
  world.send(.answered(instance: instance, call: try world.pendingCall(), scenes: nil))
  #expect(world.answerCount(request) == 1)
}

@Test(arguments: [
  TestWorld.Automatic.check, .launch, .start, .lease, .accept,
])
func `a peer that closes while its activation is pending leaves nothing behind`(
  missing: TestWorld.Automatic
) throws {
  let world = approved()
  world.automatic.remove(missing)
  let host = world.host()
  world.activate(host, connect: true)
  world.send(.peerClosed(host))
  #expect(world.broker.activations.isEmpty)
  if missing == .check { #expect(world.broker.instances.isEmpty) }
  world.pass(5_000)
  world.pass(2_000)
  if !world.launches.isEmpty { try world.endInstance() }
  #expect(world.broker.instances.isEmpty && world.broker.nextDeadline == nil)
}

@Test func `a host has a bound on its activations, and a subscription on its points`() throws {
  var limits = Limits()
  limits.activationsPerHost = 2
  limits.pointsPerSubscription = 1
  let world = approved(limits: limits)
  let host = world.host()
  world.activate(host)
  world.activate(host)
  let error = try world.error(world.activate(host), as: BrokerInterface.LimitReached.self)
  #expect(error.limit == "activationsPerHost" && error.value == 2)
  let points = try world.error(world.subscribe(host, ["a.b", "c.d"]), as: BrokerInterface.LimitReached.self)
  #expect(points.limit == "pointsPerSubscription")
}

@Test(arguments: [(PointFacts.InstancePolicy.perHost, 2), (.shared, 1), (.perScene, 3)])
func `the point says who shares an instance`(policy: PointFacts.InstancePolicy, launches: Int) throws {
  let world = approved(policy: policy)
  let first = world.host()
  for host in [first, first, world.host("org.example.Other")] { world.activate(host) }
  #expect(world.launches.count == launches)
}

@Test func `whoever waits is answered even where the kernel takes its time with SIGKILL`() throws {
  let world = approved()
  world.automatic.remove(.start)
  let request = world.activate(world.host())
  world.pass(10_000)
  world.pass(2_000)
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .startTimedOut && error.reason.stage == "Start")
  #expect(world.broker.activations.isEmpty && world.broker.instances.count == 1)
  try world.endInstance(InstanceEnd(executed: true, signal: 9))
  #expect(world.answerCount(request) == 1 && world.count("forget") == 1)
}

@Test func `a launcher that never takes the lease keeps nobody waiting`() throws {
  let world = approved()
  world.automatic.remove(.lease)
  let request = world.activate(world.host())
  #expect(world.answerCount(request) == 0)
  world.pass(world.broker.limits.answerDeadline + 1)
  let failure = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(failure.reason.kind == .startTimedOut && failure.reason.stage == "lease")
  #expect(world.broker.activations.isEmpty && world.count("dropLease") == 1)
}

@Test func `people see instances and activations in the order in which they came`() throws {
  let world = approved()
  let requests = (0..<12).map { _ in world.activate(world.host()) }
  let instances = try world.reply(
    world.admin(.listInstances(.init())), as: AdminInterface.ListInstances.Reply.self)
  #expect(instances.instances.map(\.id) == world.launches.map(\.instance))
  let activations = try world.reply(
    world.admin(.listActivations(.init())), as: AdminInterface.ListActivations.Reply.self)
  #expect(try activations.activations.map(\.id) == requests.map(world.activation))
}
