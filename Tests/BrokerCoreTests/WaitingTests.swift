import ExtensionInterfaces
import Testing

@testable import BrokerCore

// What is kept for those who do not read, or are not there.

/// A host with a stream that it does not read, and some activations, all in one instance.
private func blocked(
  activations count: Int, limits: Limits = Limits()
) throws -> (world: TestWorld, host: PeerID, stream: RequestID, activations: [String]) {
  let world = TestWorld(limits: limits)
  world.approve()
  let host = world.host(process: 500)
  let stream = world.subscribe(host)
  let requests = (0..<count).map { _ in world.activate(world.host(process: 500)) }
  world.send(.peerBlocked(host))
  return (world, host, stream, try requests.map(world.activation))
}

@Test func `of what waits for a slow host only the last state of each activation is told`() throws {
  let (world, host, stream, activations) = try blocked(activations: 2)
  world.admin(.stop(.init(target: TestWorld.extensionName)))
  try world.endInstance()
  #expect(world.life(stream) == ["activated", "activated"])
  world.send(.peerDrained(host))
  let life = ["activated", "activated", "deactivated(stopping)", "deactivated(stopping)"]
  #expect(world.life(stream) == life)
  #expect(Set(world.stream(stream).compactMap(\.activation?.activation)) == Set(activations))
  #expect(world.stream(stream).map(\.sequence) == Array(1...5))
}

@Test func `more events than may wait end the stream, and the next stream hears of each end`() throws {
  var limits = Limits()
  limits.waitingEvents = 2
  let (world, host, stream, activations) = try blocked(activations: 3, limits: limits)
  try world.endInstance()
  let error = try world.error(stream, as: BrokerInterface.LimitReached.self)
  #expect(error.limit == "waitingEvents" && error.value == 2)
  #expect(world.broker.sessions[host]?.subscription == nil)
  world.send(.peerDrained(host))
  #expect(world.answerCount(stream) == 5 && world.count("forget") == 0)
  let next = world.subscribe(world.host(process: 500))
  let told = world.stream(next).compactMap(\.activation)
  #expect(told.map(\.state) == [.deactivated, .deactivated, .deactivated])
  #expect(Set(told.map(\.activation)) == Set(activations))
  #expect(world.count("forget") == 1)
  #expect(world.life(world.subscribe(world.host(process: 500))).isEmpty)
}

@Test(arguments: [true, false])
func `an end is told when a slow host has it, or else to its next stream`(reads: Bool) throws {
  let (world, host, stream, _) = try blocked(activations: 1)
  try world.endInstance()
  #expect(world.count("forget") == 0 && world.count("endLease") == 0)
  if reads {
    world.send(.peerDrained(host))
    #expect(world.life(stream) == ["activated", "deactivated(exited)"])
  } else {
    world.send(.peerClosed(host))
    #expect(world.count("forget") == 0)
    #expect(world.life(world.subscribe(world.host(process: 500))) == ["deactivated(exited)"])
  }
  #expect(world.count("forget") == 1 && world.count("endLease") == 1)
  #expect(world.life(world.subscribe(world.host(process: 500))).isEmpty)
}

@Test func `a stream that is slow from its first moment gets what waits for it, once`() throws {
  let world = TestWorld()
  world.approve()
  world.activate(world.host(process: 500))
  try world.endInstance()
  let host = world.host(process: 500)
  world.send(.peerBlocked(host))
  let stream = world.subscribe(host)
  #expect(world.life(stream).isEmpty && world.count("forget") == 0)
  world.send(.peerDrained(host))
  world.send(.peerDrained(host))
  #expect(world.life(stream) == ["deactivated(exited)"] && world.count("forget") == 1)
}

@Test func `the launcher keeps instance and lease until the absent host has heard of the end`() throws {
  let world = TestWorld()
  world.approve()
  world.activate(world.host(process: 500))
  try world.endInstance()
  #expect(world.count("endLease") == 0 && world.count("forget") == 0)
  world.subscribe(world.host(process: 500))
  #expect(world.steps.suffix(2) == ["endLease", "forget"])
}

@Test func `ends that nobody asks for are kept up to a bound, the newest`() throws {
  var limits = Limits()
  limits.rememberedEnds = 2
  let world = TestWorld(limits: limits)
  world.approve()
  let requests = (0..<3).map { _ in world.activate(world.host(process: 500)) }
  let activations = try requests.map(world.activation)
  try world.endInstance()
  #expect(world.count("endLease") == 1 && world.count("forget") == 0)
  #expect(world.broker.endedActivations.count == 2 && world.broker.endedOrder.count == 2)
  let asked = world.call(
    world.host(process: 500), .getActivation(.init(activation: activations.sorted()[0])))
  _ = try world.error(asked, as: BrokerInterface.ActivationNotFound.self)
  #expect(world.life(world.subscribe(world.host(process: 500))).count == 2)
  #expect(world.count("endLease") == 3 && world.count("forget") == 1)
}

@Test func `a slow watcher sees from the numbers how much it missed`() throws {
  let world = TestWorld()
  let watcher = world.open(.admin)
  let watch = world.admin(.watch(.init()), peer: watcher, more: true)
  world.send(.peerBlocked(watcher))
  world.approve()
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  world.send(.peerDrained(watcher))
  world.approve()
  let sequences = (world.answers[watch] ?? []).compactMap { answer -> Int? in
    if case .reply(let value, _, _) = answer { (value as? AdminInterface.Watch.Reply)?.sequence } else { nil }
  }
  #expect(sequences == [1, 4])
}

@Test func `a slow reader of logs is told how many lines it missed, and what is kept is bounded`() throws {
  var limits = Limits()
  limits.logLinesPerExtension = 3
  let world = TestWorld(limits: limits)
  let reader = world.open(.admin)
  let stream = world.admin(.logs(.init(extension: TestWorld.extensionName)), peer: reader, more: true)
  func write(_ lines: [String], dropped: Int = 0) {
    world.send(.output(instance: "i", extension: TestWorld.extensionName, lines: lines, dropped: dropped))
  }
  write(["a"])
  world.send(.peerBlocked(reader))
  write(["b", "c"], dropped: 2)
  world.send(.peerDrained(reader))
  write(["d"])
  let lines = (world.answers[stream] ?? []).compactMap { answer -> [String]? in
    if case .reply(let value, _, _) = answer { (value as? AdminInterface.Logs.Reply)?.lines } else { nil }
  }
  #expect(lines == [[], ["a"], ["(4 lines left out: they came too fast)", "d"]])
  let kept = try world.reply(
    world.admin(.logs(.init(extension: TestWorld.extensionName))), as: AdminInterface.Logs.Reply.self)
  #expect(kept.lines == ["b", "c", "d"])
}
