import ExtensionInterfaces
import Testing

@testable import BrokerCore

// A broker that approves everything that is valid.

private let app = "/roots/Editor.app"

private func decision(_ identifier: String, _ verdict: Decision.Verdict, digest: String = "sha256:old")
  -> Decision
{
  Decision(
    identifier: identifier, verdict: verdict, digest: digest, entitlements: [], rootOwned: false, time: 0,
    peer: "")
}

private func inside() -> [BundleFacts] {
  var host = BundleFacts(path: app, rootIndex: 0, kind: .application)
  host.identifier = "org.example.Editor"
  host.digest = "sha256:app"
  host.points = [PointFacts(identifier: TestWorld.point, host: host.identifier)]
  var facts = TestWorld.greeter(path: app + "/Extensions/Greeter.appex")
  (facts.containingPath, facts.containingHost) = (app, host.identifier)
  return [host, facts]
}

private func broken() -> BundleFacts {
  var facts = TestWorld.greeter()
  facts.problems = [AdminInterface.Problem(check: "executableMissing", message: "there is no program")]
  return facts
}

private func foreign() -> BundleFacts {
  var facts = TestWorld.greeter()
  facts.incompatibility = "needs another machine"
  return facts
}

@Test(
  arguments: [
    ([TestWorld.points(), TestWorld.greeter()], [], .enabled),
    ([TestWorld.points(), TestWorld.greeter()], [decision(TestWorld.extensionName, .enabled)], .enabled),
    ([TestWorld.points(), TestWorld.greeter()], [decision(TestWorld.extensionName, .disabled)], .disabled),
    ([TestWorld.points(), TestWorld.greeter(entitlements: ["network"])], [], .enabled),
    ([TestWorld.points(), broken()], [], .invalid), ([TestWorld.points(), foreign()], [], .incompatible),
    (inside(), [], .enabled), (inside(), [decision("org.example.Editor", .disabled)], .disabled),
  ] as [([BundleFacts], [Decision], CatalogEntry.State)])
func `where everything is approved, what is valid is enabled unless the person disabled it`(
  bundles: [BundleFacts], decisions: [Decision], state: CatalogEntry.State
) throws {
  let world = TestWorld(bundles: bundles, decisions: decisions, approval: .everything)
  #expect(world.broker.catalog.entries[bundles[1].path]?.state == state)
  let request = world.activate(world.host())
  if state == .enabled {
    _ = try world.activation(request)
  } else {
    #expect(
      try world.error(request, as: BrokerInterface.ExtensionNotEnabled.self).state.rawValue == state.rawValue)
  }
}

@Test func `the status and the decision's gate say that everything is approved`() throws {
  let world = TestWorld(approval: .everything)
  #expect(
    try world.reply(world.admin(.status(.init())), as: AdminInterface.Status.Reply.self).approval
      == .everything)
  let gates = try world.reply(
    world.admin(.explain(.init(extension: TestWorld.extensionName))), as: AdminInterface.Explain.Reply.self
  ).gates
  let gate = try #require(gates.first { $0.name == "decision" })
  #expect(gate.result == .pass && gate.evidence.contains("approves all that is valid"))
  let person = TestWorld()
  #expect(
    try person.reply(person.admin(.status(.init())), as: AdminInterface.Status.Reply.self).approval == .person
  )
}

@Test func `content that changed before the launch is read again and launched`() throws {
  let world = TestWorld(approval: .everything)
  world.automatic.remove(.check)
  let request = world.activate(world.host())
  let instance = try #require(world.broker.instances.keys.first)
  world.send(.bundleChecked(instance: instance, .changed))
  #expect(world.answerCount(request) == 0)
  #expect(world.effects.contains { if case .scan(TestWorld.path) = $0 { true } else { false } })
  world.add([TestWorld.greeter(digest: "sha256:2", version: "2.0")])
  world.send(.bundleChecked(instance: instance, .current))
  _ = try world.activation(request)
  #expect(world.broker.instances[instance]?.digest == "sha256:2")
  #expect(world.broker.instances[instance]?.version == "2.0")
}

@Test func `content that changes while the launcher is away is checked once more`() throws {
  let world = TestWorld(ready: false, approval: .everything)
  world.send(.launcherGone)
  let request = world.activate(world.host())
  world.add([TestWorld.greeter(digest: "sha256:2")])
  world.connectLauncher()
  _ = try world.activation(request)
  #expect(world.count("check") == 2 && world.launches.count == 1)
}

@Test func `what is being read again when the launcher goes waits for the next one`() throws {
  let world = TestWorld(approval: .everything)
  world.automatic.remove(.check)
  let request = world.activate(world.host())
  let instance = try #require(world.broker.instances.keys.first)
  world.send(.bundleChecked(instance: instance, .changed))
  world.send(.launcherGone)
  world.add([TestWorld.greeter(digest: "sha256:2")])
  world.send(.bundleChecked(instance: instance, .current))
  world.connectLauncher()
  _ = try world.activation(request)
}

@Test func `what became broken before the launch is not launched`() throws {
  let world = TestWorld(approval: .everything)
  world.automatic.remove(.check)
  let request = world.activate(world.host())
  world.send(.bundleChecked(instance: try #require(world.broker.instances.keys.first), .changed))
  world.add([broken()])
  #expect(try world.error(request, as: BrokerInterface.ActivationFailed.self).reason.kind == .changed)
  #expect(world.launches.isEmpty && world.broker.instances.isEmpty)
}

@Test func `a bundle that is never read again fails at the deadline`() throws {
  let world = TestWorld(approval: .everything)
  world.automatic.remove(.check)
  let request = world.activate(world.host())
  world.send(.bundleChecked(instance: try #require(world.broker.instances.keys.first), .changed))
  world.pass(Limits().startDeadline + 1)
  #expect(try world.error(request, as: BrokerInterface.ActivationFailed.self).reason.kind == .startTimedOut)
  #expect(world.broker.instances.isEmpty)
}
