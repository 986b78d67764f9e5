import ExtensionInterfaces
import Testing

@testable import BrokerCore

private func moment(_ time: Int64) -> Moment { Moment(monotonic: time, wall: 1_000_000 + time) }

private func history(_ times: [Int64]) -> CrashHistory {
  var history = CrashHistory()
  for time in times { _ = history.record(at: moment(time)) }
  return history
}

private let crash = InstanceEnd(executed: true, signal: 11)

@Test(
  arguments: [
    // When it crashed, when it is asked for, how long it waits.
    ([0], 0, 500), ([0], 499, 1), ([0], 500, 0), ([0, 600], 600, 1_000), ([0, 600], 1_600, 0),
    // The first one is too long ago to count.
    ([0, 300_000], 300_000, 500), ([0, 299_999], 299_999, 1_000),
    // A quarantine, also when it crashes on in it; and the back-off after it begins anew.
    ([0, 600, 1_700], 1_700, 300_000), ([0, 600, 1_700, 1_701], 1_701, 299_999),
    ([0, 600, 1_700, 301_700], 301_700, 500),
  ] as [([Int64], Int64, Int64)])
func `crashes make it wait, longer each time, until they are old`(
  times: [Int64], asked: Int64, delay: Int64
) {
  #expect(history(times).delay(at: moment(asked)) == delay)
}

@Test func `quarantines get longer, up to an hour, and are forgotten when it went well for long`() throws {
  var history = CrashHistory()
  var now: Int64 = 1_000_000
  var lengths: [Int64] = []
  for _ in 0..<6 {
    for _ in 0..<3 { _ = history.record(at: moment(now)) }
    let end = try #require(history.quarantine(at: moment(now)))
    lengths.append((end.monotonic - now) / 60_000)
    #expect(history.quarantine(at: moment(end.monotonic)) == nil)
    now = end.monotonic
  }
  #expect(lengths == [5, 10, 20, 40, 60, 60])
  #expect(!history.isForgettable(at: moment(now)))
  #expect(history.isForgettable(at: moment(now + CrashHistory.longestQuarantine)))
}

/// `count` hosts, each with an instance of its own, in the order of the launches.
private func crowd(_ count: Int) throws -> (world: TestWorld, instances: [String]) {
  let world = TestWorld()
  world.approve()
  for _ in 0..<count { world.activate(world.host()) }
  return (world, world.launches.map(\.instance))
}

extension TestWorld {
  fileprivate func end(_ instances: [String], _ end: InstanceEnd = crash) {
    for instance in instances { send(.ended(instance: instance, note: note(instance), end)) }
  }
}

@Test func `a start waits for the back-off, and reset takes the wait away`() throws {
  let (world, instances) = try crowd(2)
  world.end([instances[0]])
  let request = world.activate(world.host())
  #expect(world.answerCount(request) == 0 && world.broker.nextDeadline == world.now.monotonic + 500)
  world.pass(499)
  #expect(world.count("check") == 2)
  world.pass(1)
  _ = try world.activation(request)
  world.end([instances[1]])
  world.admin(.reset(.init(extension: TestWorld.extensionName)))
  world.approve()
  _ = try world.activation(world.activate(world.host()))
}

@Test func `a start that waits is put off further by a crash meanwhile, and given up by a quarantine`() throws
{
  let (world, instances) = try crowd(3)
  world.end([instances[0]])
  let request = world.activate(world.host())
  world.pass(400)
  world.end([instances[1]])
  world.pass(100)
  #expect(world.count("check") == 3)
  world.pass(800)
  world.end([instances[2]])
  world.pass(100)
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .quarantined)
  #expect(error.reason.until == Int(world.now.wall) - 100 + 300_000)
  #expect(world.launches.count == 3)
}

@Test func `what waits for the launcher when the quarantine begins is not launched`() throws {
  let (world, instances) = try crowd(3)
  world.automatic.remove(.check)
  let request = world.activate(world.host())
  world.end(instances)
  let waiting = try #require(world.broker.instances.keys.first)
  world.send(.bundleChecked(instance: waiting, .current))
  let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .quarantined)
  #expect(world.launches.count == 3)
}

@Test func `a crash in the quarantine does not end it`() throws {
  let (world, instances) = try crowd(4)
  world.end(Array(instances.prefix(3)))
  world.pass(10_000)
  world.end([instances[3]])
  world.pass(289_999)
  let error = try world.error(world.activate(world.host()), as: BrokerInterface.ActivationFailed.self)
  #expect(error.reason.kind == .quarantined)
  world.pass(1)
  _ = try world.activation(world.activate(world.host()))
}

@Test(arguments: [
  (InstanceEnd(executed: true, signal: 11), true), (InstanceEnd(executed: true, exitStatus: 1), true),
  (InstanceEnd(executed: true, signal: 9, outOfMemoryKills: 1), true),
  (InstanceEnd(executed: true, exitStatus: 0), false), (InstanceEnd(executed: true, signal: 9), false),
  (InstanceEnd(executed: false, failedStage: "sandbox", errno: 1), false),
  (InstanceEnd(executed: false, failedStage: "program", errno: 2), false),
])
func `only what the extension did itself counts as a crash`(end: InstanceEnd, counts: Bool) throws {
  let (world, instances) = try crowd(3)
  world.end(instances, end)
  let request = world.activate(world.host())
  if counts {
    let error = try world.error(request, as: BrokerInterface.ActivationFailed.self)
    #expect(error.reason.kind == .quarantined)
  } else {
    _ = try world.activation(request)
  }
}

@Test(arguments: [(TestWorld.Automatic.launch, false), (.start, true)])
func `a launcher that is slow is no crash of the extension`(missing: TestWorld.Automatic, counts: Bool) throws
{
  let world = TestWorld()
  world.approve()
  world.automatic.remove(missing)
  world.activate(world.host())
  world.pass(10_000)
  try world.endInstance(InstanceEnd(executed: counts, signal: 9))
  #expect(world.broker.crashes.isEmpty == !counts)
}
