import ExtensionInterfaces
import Testing

@testable import BrokerCore

// Publishers, pins and the policy, over time.

private let publisher = "SHA256:" + String(repeating: "A", count: 43)

private func signed(_ digest: String, version: String, path: String = TestWorld.path) -> BundleFacts {
  var facts = TestWorld.greeter(path: path, digest: digest, version: version)
  facts.publisher = publisher
  return facts
}

extension TestWorld {
  fileprivate func approvePublisher(digest: String = "sha256:1") -> RequestID {
    admin(
      .approve(
        .init(extension: Self.extensionName, digest: digest, entitlements: [], publisher: publisher)))
  }

  fileprivate var state: CatalogEntry.State? { broker.catalog.entries[Self.path]?.state }

  fileprivate var stored: [Decision] {
    effects.compactMap { if case .storeDecision(_, let decision) = $0 { decision } else { nil } }
  }
}

@Test func `updates by an approved publisher are used at once, and none goes back behind the last one`()
  throws
{
  let world = TestWorld(bundles: [TestWorld.points(), signed("sha256:1", version: "1.0")])
  _ = try world.reply(world.approvePublisher(), as: AdminInterface.Approve.Reply.self)
  world.add([signed("sha256:3", version: "3.0")])
  _ = try world.activation(world.activate(world.host()))
  #expect(world.stored.map(\.version) == ["1.0", "3.0"])
  #expect(world.stored.last?.digest == "sha256:3")
  // A version that was signed once, with a hole that is known by now.
  world.add([signed("sha256:2", version: "2.0")])
  #expect(world.state == .changed)
  #expect(
    world.broker.catalog.entries[TestWorld.path]?.explanation.contains("older than version 3.0") == true)
}

@Test func `an approval without the publisher is for the content alone`() throws {
  let world = TestWorld(bundles: [TestWorld.points(), signed("sha256:1", version: "1.0")])
  world.approve()
  world.add([signed("sha256:2", version: "2.0")])
  #expect(world.state == .changed)
}

@Test func `approval of a publisher that did not sign it is refused`() throws {
  let world = TestWorld()
  _ = try world.error(world.approvePublisher(), as: AdminInterface.PublisherChanged.self)
  #expect(world.stored.isEmpty)
}

@Test func `revoking a key ends what it signed and says so, and taking it back allows it again`() throws {
  let world = TestWorld(bundles: [TestWorld.points(), signed("sha256:1", version: "1.0")])
  _ = world.approvePublisher()
  let host = world.host()
  let stream = world.subscribe(host)
  _ = try world.activation(world.activate(host))
  _ = try world.reply(
    world.admin(.revokePublisher(.init(fingerprint: publisher))),
    as: AdminInterface.RevokePublisher.Reply.self)
  #expect(world.life(stream) == ["activated", "willDeactivate(policy)"])
  #expect(world.state == .blocked)
  let rows = try world.reply(
    world.admin(.listPublishers(.init())), as: AdminInterface.ListPublishers.Reply.self
  )
  .publishers
  #expect(
    rows == [
      .init(
        fingerprint: publisher, revoked: true, extensions: [TestWorld.extensionName],
        approved: [TestWorld.extensionName])
    ])
  world.admin(.reset(.init(extension: publisher)))
  #expect(world.state == .enabled)
}

@Test(arguments: [
  "", "SHA256:short", "SHA256:" + String(repeating: "/", count: 42) + "\n", "org.example.Greeter",
])
func `what is no fingerprint cannot be revoked`(text: String) throws {
  let world = TestWorld()
  let request = world.admin(.revokePublisher(.init(fingerprint: text)))
  _ = try world.error(request, as: AdminInterface.PublisherNotFound.self)
}

@Test func `a pinned copy is used before others, but never before one that may be used where it may not`()
  throws
{
  let other = "/roots/Other.appex"
  let world = TestWorld(
    bundles: [TestWorld.points(), TestWorld.greeter(), TestWorld.greeter(path: other, rootIndex: 1)])
  world.approve()
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == TestWorld.path)
  _ = try world.reply(world.admin(.pin(.init(path: other))), as: AdminInterface.Pin.Reply.self)
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == other)
  world.add([TestWorld.greeter(path: other, digest: "sha256:2", rootIndex: 1)])
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == TestWorld.path)
  world.add([TestWorld.greeter(path: other, rootIndex: 1)])
  _ = try world.reply(
    world.admin(.unpin(.init(extension: TestWorld.extensionName))), as: AdminInterface.Unpin.Reply.self)
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == TestWorld.path)
  _ = try world.error(
    world.admin(.unpin(.init(extension: TestWorld.extensionName))), as: AdminInterface.ExtensionNotFound.self)
}

@Test func `a host is approved with everything that its own extensions ask for`() throws {
  var app = BundleFacts(path: "/roots/Editor.app", rootIndex: 0, kind: .application)
  app.identifier = "org.example.Editor"
  app.digest = "sha256:app"
  app.points = [PointFacts(identifier: TestWorld.point, host: app.identifier)]
  var inner = TestWorld.greeter(path: "/roots/Editor.app/Extensions/Greeter.appex", entitlements: ["home"])
  (inner.containingPath, inner.containingHost) = (app.path, app.identifier)
  let world = TestWorld(bundles: [app, inner])
  let refused = world.approve("org.example.Editor", digest: "sha256:app")
  #expect(try world.error(refused, as: AdminInterface.Changed.self).entitlements == ["home"])
  world.approve("org.example.Editor", digest: "sha256:app", entitlements: ["home"])
  _ = try world.activation(world.activate(world.host()))
}

private func policy(_ restrict: (inout PolicyRule.Restrictions) -> Void) -> Policy {
  var restrictions = PolicyRule.Restrictions()
  restrict(&restrictions)
  return Policy(rules: [PolicyRule(.restrict(restrictions), source: "/etc/test.policy:1")])
}

@Test func `a policy can ask that a host's name is verified`() throws {
  let world = TestWorld(policy: policy { $0.requiresVerifiedHost = true })
  world.approve()
  let error = try world.error(world.activate(world.host()), as: BrokerInterface.NotPermitted.self)
  #expect(error.message.contains("/etc/test.policy:1"))
  _ = try world.activation(world.activate(world.host(group: "app-org.example.Editor-1.scope")))
}

@Test func `limits of the policy cap those of the bundle`() throws {
  var facts = TestWorld.greeter()
  facts.bounds = ResourceBounds(memory: 500, processes: 3)
  let caps = policy { $0.bounds = ResourceBounds(memory: 100, processes: 9, openFiles: 50) }
  let world = TestWorld(bundles: [TestWorld.points(), facts], policy: caps)
  world.approve()
  _ = try world.activation(world.activate(world.host()))
  let usual = Limits().instanceFileSize
  #expect(
    world.launches.map(\.bounds) == [
      ResourceBounds(memory: 100, processes: 3, openFiles: 50, fileSize: usual)
    ])
}

@Test func `a policy that is changed ends what it blocks, and nobody is answered before the first was read`()
  throws
{
  let world = TestWorld()
  world.approve()
  let host = world.host()
  let stream = world.subscribe(host)
  _ = try world.activation(world.activate(host))
  let rule = PolicyRule(.block, source: "/etc/test.policy:4")
  world.send(.policyLoaded(Policy(rules: [rule])))
  #expect(world.life(stream) == ["activated", "willDeactivate(policy)"])
  let error = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .blocked && error.message.contains("/etc/test.policy:4"))
  world.send(.policyLoaded(Policy()))
  #expect(world.state == .enabled)

  let early = TestWorld(unknowing: "g2")
  early.send(.decisionsLoaded([]))
  early.add([TestWorld.points(), TestWorld.greeter()])
  early.send(.scanned(0))
  early.connectLauncher()
  let request = early.approve()
  #expect(early.answerCount(request) == 0)
  early.send(.policyLoaded(Policy()))
  #expect(early.answerCount(request) == 1)
}

@Test(arguments: [nil, "bwrap makes no sandbox here"], [true, false])
func `only the policy lets an extension run without a sandbox, and only where none can be made`(
  fault: String?, isAllowed: Bool
) throws {
  let world = TestWorld(
    policy: isAllowed ? policy { $0.allowsNoSandbox = true } : Policy(), ready: false)
  var facts = TestWorld.launcher
  facts.sandboxFault = fault
  world.send(.launcherConnected(facts))
  world.send(.restored)
  world.approve()
  _ = try world.activation(world.activate(world.host()))
  #expect(world.launches.map(\.withoutSandbox) == [fault != nil && isAllowed])
  let gates = try world.reply(
    world.admin(.explain(.init(extension: TestWorld.extensionName))), as: AdminInterface.Explain.Reply.self
  ).gates
  #expect(gates.first { $0.name == "sandbox" }?.result == (fault == nil || isAllowed ? .pass : .fail))
}
