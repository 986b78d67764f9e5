import ExtensionInterfaces
import Testing

@testable import BrokerCore

// Bundles of developers.

private let work = "/src/build/Greeter.appex"

private func tool(
  path: String = work, identifier: String = TestWorld.extensionName, digest: String = "sha256:1"
) -> BundleFacts {
  var facts = TestWorld.greeter(path: path, digest: digest, rootIndex: 9)
  facts.identifier = identifier
  facts.isDeveloped = true
  return facts
}

private func broken(_ facts: BundleFacts) -> BundleFacts {
  var facts = facts
  facts.problems = [AdminInterface.Problem(check: "executableMissing", message: "there is no program")]
  return facts
}

extension TestWorld {
  /// A developer's connection, once the bundle was read.
  fileprivate func develop(wait: Bool? = nil, found: [BundleFacts] = [tool()]) -> (
    peer: PeerID, request: RequestID
  ) {
    let peer = open(.admin)
    let request = admin(.develop(.init(path: work, wait: wait)), peer: peer, more: true)
    send(.developed(path: work, found))
    return (peer, request)
  }

  fileprivate func told(_ request: RequestID) -> [AdminInterface.Develop.Reply] {
    (answers[request] ?? []).compactMap {
      if case .reply(let value, _, true) = $0 { value as? AdminInterface.Develop.Reply } else { nil }
    }
  }

  fileprivate func row(_ name: String) throws -> AdminInterface.Extension {
    try #require(
      reply(admin(.list(.init(extension: name))), as: AdminInterface.List.Reply.self).extensions.first)
  }
}

@Test func `a developer's bundle is used without approval, is marked everywhere, and its author hears of it`()
  throws
{
  let world = TestWorld(bundles: [TestWorld.points()])
  let (_, request) = world.develop()
  let stream = world.subscribe(world.host())
  #expect(world.stream(stream).last?.snapshot?.identities.map(\.id) == [TestWorld.extensionName])
  _ = try world.activation(world.activate(world.host()))
  world.send(
    .output(
      instance: try world.instance, extension: TestWorld.extensionName, lines: ["one", "two"], dropped: 3))
  try world.endInstance(InstanceEnd(executed: true, exitStatus: 7))
  #expect(world.told(request).map(\.event) == [.found, .started, .ready, .output, .ended])
  #expect(world.told(request)[0].extensions?.map(\.state) == [.enabled])
  #expect(world.told(request)[3].lines == ["(3 lines left out: they came too fast)", "one", "two"])
  #expect(world.told(request)[4].reason?.kind == .exited && world.told(request)[4].reason?.status == 7)
  let row = try world.row(TestWorld.extensionName)
  #expect(row.developer == true && row.state == .enabled && row.path == work)
  let gates = try world.reply(
    world.admin(.explain(.init(extension: work))), as: AdminInterface.Explain.Reply.self
  ).gates
  #expect(gates.first { $0.name == "decision" }?.evidence.contains("developer") == true)
}

@Test func `what a bundle is is told once, also where the launcher comes later`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  world.send(.launcherGone)
  let (_, request) = world.develop()
  world.connectLauncher()
  world.add([tool()])
  let told = world.told(request)
  #expect(told.map(\.event) == [.found])
  #expect(told[0].extensions?[0].limits?.isEmpty == false)
}

@Test func `instances of a developer's bundle are marked, others are not`() throws {
  let world = TestWorld(bundles: [TestWorld.points(), TestWorld.greeter()])
  world.approve()
  _ = world.develop(found: [tool(identifier: "org.example.Tool")])
  world.activate(world.host())
  world.activate(world.host(), "org.example.Tool")
  let rows = try world.reply(
    world.admin(.listInstances(.init())), as: AdminInterface.ListInstances.Reply.self)
  #expect(rows.instances.map(\.developer) == [nil, true])
  #expect(try world.row(TestWorld.extensionName).developer == nil)
}

@Test func `the bundle and what runs of it end with its author's connection`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (peer, _) = world.develop()
  let host = world.host()
  let stream = world.subscribe(host)
  world.activate(host)
  world.send(.peerClosed(peer))
  #expect(world.life(stream) == ["activated", "willDeactivate(removed)"])
  #expect(world.effects.contains { if case .withdraw(work) = $0 { true } else { false } })
  try world.endInstance()
  #expect(world.broker.catalog.bundles.keys.sorted() == ["/roots/points"])
  _ = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotFound.self)
  // A reading that was on its way.
  world.add([tool()])
  #expect(world.broker.catalog.bundles[work] == nil)
}

@Test func `a connection that ends before its bundle was read leaves nothing`() {
  let world = TestWorld(bundles: [TestWorld.points()])
  let peer = world.open(.admin)
  world.admin(.develop(.init(path: work)), peer: peer, more: true)
  world.send(.peerClosed(peer))
  world.send(.developed(path: work, [tool()]))
  #expect(world.broker.catalog.bundles[work] == nil)
  #expect(world.effects.contains { if case .withdraw(work) = $0 { true } else { false } })
}

@Test func `who begins while instances of the one before end hears first what the bundle is`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (peer, _) = world.develop()
  _ = try world.activation(world.activate(world.host()))
  let before = try world.instance
  world.send(.peerClosed(peer))
  let request = world.admin(.develop(.init(path: work)), peer: world.open(.admin), more: true)
  world.send(.output(instance: before, extension: TestWorld.extensionName, lines: ["last words"], dropped: 0))
  world.send(.developed(path: work, [tool()]))
  #expect(world.told(request).map(\.event).first == .found)
}

private func inRoot() -> BundleFacts {
  var facts = tool()
  facts.isDeveloped = false
  return facts
}

private func stdio() -> BundleFacts {
  var facts = tool()
  facts.runtime = .stdio
  return facts
}

@Test(
  arguments: [
    // What is installed, what is found, and what the refusal speaks of.
    ([TestWorld.greeter()], [tool()], "extctl remove \(TestWorld.path)"),
    ([broken(TestWorld.greeter())], [tool()], TestWorld.path), ([], [inRoot()], "lies in a root"),
    ([], [], "there is no bundle"), ([], [stdio()], "leave out --wait"),
  ] as [([BundleFacts], [BundleFacts], String)])
func `what cannot be a developer's bundle is refused and says what to do`(
  installed: [BundleFacts], found: [BundleFacts], message: String
) throws {
  let world = TestWorld(bundles: [TestWorld.points()] + installed)
  let (peer, request) = world.develop(wait: true, found: found)
  #expect(try world.error(request, as: AdminInterface.NotDevelopable.self).message.contains(message))
  #expect(world.broker.catalog.bundles[work] == nil)
  #expect(world.broker.sessions[peer]?.development == nil)
  #expect(world.effects.contains { if case .withdraw(work) = $0 { true } else { false } })
}

@Test(arguments: ["relative.appex", "/src/../Greeter.appex", "/src//Greeter.appex", "/src/Greeter.appex/"])
func `a path that could be written in another way is refused`(path: String) throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let request = world.admin(.develop(.init(path: path)), more: true)
  #expect(try world.error(request, as: AdminInterface.NotDevelopable.self).path == path)
}

@Test(arguments: [work, "/src/build", work + "/Extensions/Inner.appex"])
func `a bundle has one developer, and a connection one bundle`(second: String) throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (peer, _) = world.develop()
  let other = world.admin(.develop(.init(path: second)), more: true)
  #expect(
    try world.error(other, as: AdminInterface.NotDevelopable.self).message.contains("another developer"))
  let more = world.admin(.develop(.init(path: "/src/Other.appex")), peer: peer, more: true)
  #expect(try world.error(more, as: AdminInterface.NotDevelopable.self).message.contains("this connection"))
  let twin = world.open(.admin)
  let request = world.admin(.develop(.init(path: "/src/Twin.appex")), peer: twin, more: true)
  world.send(.developed(path: "/src/Twin.appex", [tool(path: "/src/Twin.appex")]))
  #expect(
    try world.error(request, as: AdminInterface.NotDevelopable.self).message.contains("another developer"))
}

@Test func `a bundle that is installed later counts, approved or not, and the author is told`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (_, request) = world.develop()
  world.add([TestWorld.greeter(rootIndex: 0, version: "0.1")])
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == TestWorld.path)
  #expect(world.told(request).last?.extensions?.first?.state == .shadowed)
  #expect(try world.row(work).explanation.contains("a developer's never displaces it"))
  world.send(.bundles(found: [], removed: [TestWorld.path]))
  #expect(world.told(request).last?.extensions?.first?.state == .enabled)
}

@Test func `what is given the identifier of an installed one stays out of use, however broken that is`()
  throws
{
  let world = TestWorld(bundles: [TestWorld.points(), broken(TestWorld.greeter())])
  let (_, request) = world.develop(found: [tool(identifier: "org.example.Tool")])
  world.add([tool()])
  #expect(world.told(request).last?.extensions?.first?.state == .shadowed)
  _ = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
  world.send(.bundles(found: [], removed: [TestWorld.path]))
  _ = try world.activation(world.activate(world.host()))
}

@Test func `an application that is installed later counts, and not its developer's namesake`() throws {
  var app = BundleFacts(path: work, rootIndex: 9, kind: .application)
  (app.identifier, app.digest, app.isDeveloped) = ("org.example.Editor", "sha256:app", true)
  let world = TestWorld(bundles: [TestWorld.points()])
  let (_, request) = world.develop(found: [app])
  #expect(world.told(request).last?.extensions?.first?.state == .enabled)
  var installed = BundleFacts(path: "/roots/Editor.app", rootIndex: 0, kind: .application)
  (installed.identifier, installed.digest) = (app.identifier, app.digest)
  world.add([installed])
  #expect(world.told(request).last?.extensions?.first?.state == .shadowed)
  world.send(.bundles(found: [], removed: [installed.path]))
  #expect(world.told(request).last?.extensions?.first?.state == .enabled)
}

@Test func `what is built anew is used at once, and what is broken is told with its faults`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (_, request) = world.develop()
  world.automatic.remove(.check)
  let activation = world.activate(world.host())
  world.send(.bundleChecked(instance: try #require(world.broker.instances.keys.first), .changed))
  world.add([tool(digest: "sha256:2")])
  world.send(.bundleChecked(instance: try #require(world.broker.instances.keys.first), .current))
  _ = try world.activation(activation)
  #expect(world.broker.instances.values.map(\.digest) == ["sha256:2"])
  world.add([broken(tool(digest: "sha256:3"))])
  #expect(world.told(request).last?.extensions?.first?.problems.map(\.check) == ["executableMissing"])
  let error = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .invalid)
}

@Test func `a developer's bundle has no decision to make, but can be disabled`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  _ = world.develop()
  let error = try world.error(world.approve(), as: AdminInterface.NotApprovable.self)
  #expect(error.message.contains("extctl install"))
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  let refusal = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(refusal.state == .disabled)
  #expect(try world.row(work).explanation.contains("extctl reset"))
  world.admin(.reset(.init(extension: TestWorld.extensionName)))
  _ = try world.activation(world.activate(world.host()))
}

@Test func `what waits for a debugger has no deadlines, and is killed when its author goes`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  world.automatic.subtract([.start, .accept])
  let (peer, request) = world.develop(wait: true)
  let activation = world.activate(world.host(), connect: true)
  #expect(world.launches.map(\.waits) == [true])
  #expect(world.told(request).last?.event == .waiting && world.told(request).last?.pid == 4244)
  world.pass(3_600_000)
  #expect(world.answerCount(activation) == 0)
  world.send(.answered(instance: try world.instance, call: try world.pendingCall(), scenes: nil))
  world.pass(3_600_000)
  #expect(world.answerCount(activation) == 0)
  world.send(.answered(instance: try world.instance, call: try world.pendingCall(), scenes: nil))
  _ = try world.activation(activation)
  let second = world.activate(world.host(), connect: true)
  world.send(.peerClosed(peer))
  #expect(world.count("stop") == 1 && world.count("kill") == 1)
  #expect(world.answerCount(second) == 0)
}

@Test func `the launch of what will wait has its deadline, since nobody can debug it yet`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  world.automatic.remove(.launch)
  _ = world.develop(wait: true)
  let activation = world.activate(world.host())
  world.pass(Limits().startDeadline + 1)
  #expect(world.count("kill") == 1)
  try world.endInstance(InstanceEnd(executed: false, signal: 9))
  #expect(
    try world.error(activation, as: BrokerInterface.ActivationFailed.self).reason.kind == .startTimedOut)
}

@Test func `an author who does not read gets a note for what was left out`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (peer, request) = world.develop()
  world.activate(world.host())
  let count = world.answerCount(request)
  world.send(.peerBlocked(peer))
  world.send(
    .output(instance: try world.instance, extension: TestWorld.extensionName, lines: ["a", "b"], dropped: 0))
  #expect(world.answerCount(request) == count)
  world.send(.peerDrained(peer))
  world.send(
    .output(instance: try world.instance, extension: TestWorld.extensionName, lines: ["c"], dropped: 0))
  #expect(
    world.told(request).suffix(2).map(\.lines) == [["(2 lines left out: they came too fast)"], ["c"]])
}

@Test func `an author who did not read hears afterwards what the bundle is now`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  let (peer, request) = world.develop()
  world.send(.peerBlocked(peer))
  world.add([broken(tool())])
  world.send(.peerDrained(peer))
  #expect(world.told(request).last?.extensions?.first?.state == .invalid)
  #expect(world.told(request).count == 2)
}
