import ExtensionInterfaces
import Testing

@testable import BrokerCore

@Test func `an extension that is not approved is refused and never launched`() throws {
  let world = TestWorld()
  let request = world.activate(world.host())
  let error = try world.error(request, as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .unapproved)
  #expect(world.steps.isEmpty)
}

@Test(arguments: [("sha256:2", []), ("sha256:1", ["network"])] as [(String, [String])])
func `approval of something else than what is there is refused`(digest: String, entitlements: [String]) throws
{
  let world = TestWorld()
  let request = world.approve(digest: digest, entitlements: entitlements)
  #expect(try world.error(request, as: AdminInterface.Changed.self).digest == "sha256:1")
  _ = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
}

@Test func `a decision holds when it is stored, and not before`() throws {
  let world = TestWorld()
  world.automatic.remove(.store)
  let request = world.approve()
  #expect(world.answerCount(request) == 0)
  _ = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
  world.send(.decisionFailed(request, message: "disk full"))
  _ = try world.error(request, as: AdminInterface.StorageFailed.self)
  _ = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
}

@Test func `disabling ends what runs: first a warning, then the end, each once`() throws {
  let world = TestWorld()
  world.approve()
  let host = world.host()
  let stream = world.subscribe(host)
  let request = world.activate(host)
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  #expect(world.life(stream) == ["activated", "willDeactivate(disabled)"])
  try world.endInstance()
  #expect(world.life(stream) == ["activated", "willDeactivate(disabled)", "deactivated(disabled)"])
  #expect(world.count("forget") == 1)
  let late = world.call(host, .connect(.init(activation: try world.activation(request))))
  #expect(try world.error(late, as: BrokerInterface.ActivationEnded.self).reason.kind == .disabled)
  let error = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .disabled)
}

@Test func `changed content refuses new hosts and lets the old instance run on`() throws {
  let world = TestWorld()
  world.approve()
  let host = world.host()
  world.activate(host)
  world.add([TestWorld.greeter(digest: "sha256:2")])
  let error = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .changed)
  #expect(world.count("stop") == 0 && world.count("terminate") == 0)
  world.approve(digest: "sha256:2")
  _ = try world.activation(world.activate(host))
  #expect(world.launches.count == 2)
}

@Test(arguments: [
  // rootIndex, version and digest of the second copy; whether it is the one that is approved; the winner.
  (1, "2.0", false, "/roots/Greeter.appex"), (0, "2.0", false, "/roots/Other.appex"),
  (0, "1.0", false, "/roots/Greeter.appex"), (1, "0.1", true, "/roots/Other.appex"),
])
func `of several copies an enabled one wins, then the root, then the version`(
  root: Int, version: String, approved: Bool, winner: String
) throws {
  let world = TestWorld()
  if approved { world.approve(digest: "sha256:1") }
  world.add([
    TestWorld.greeter(digest: approved ? "sha256:changed" : "sha256:1"),
    TestWorld.greeter(path: "/roots/Other.appex", rootIndex: root, version: version),
  ])
  #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == winner)
  let rows = try world.reply(world.admin(.list(.init())), as: AdminInterface.List.Reply.self).extensions
  #expect(rows.filter { $0.state == .shadowed }.map(\.path) != [winner])
  #expect(rows.count { $0.state == .shadowed } == 1)
}

private func bundle(rootOwned: Bool, point: String) -> [BundleFacts] {
  var app = BundleFacts(path: "/roots/Editor.app", rootIndex: 0, kind: .application)
  app.identifier = "org.example.Editor"
  app.rootOwned = rootOwned
  app.digest = "sha256:app"
  app.program = "editor"
  app.points = [PointFacts(identifier: TestWorld.point, host: "org.example.Editor", scope: .application)]
  var inner = TestWorld.greeter(path: "/roots/Editor.app/Extensions/Greeter.appex")
  inner.containingPath = app.path
  inner.containingHost = app.identifier
  inner.rootOwned = rootOwned
  inner.extensionPoint = point
  var other = BundleFacts(path: "/roots/other", rootIndex: 0, kind: .pointFile)
  other.points = [PointFacts(identifier: "org.other.point", host: nil, scope: .none)]
  return [app, inner, other]
}

@Test(arguments: [(TestWorld.point, true), ("org.other.point", false)])
func `what ships in a root-owned host is enabled at once, for the host's own points only`(
  point: String, enabled: Bool
) throws {
  let world = TestWorld(bundles: bundle(rootOwned: true, point: point))
  let request = world.activate(world.host())
  if enabled {
    _ = try world.activation(request)
  } else {
    #expect(try world.error(request, as: BrokerInterface.ExtensionNotEnabled.self).state == .unapproved)
  }
}

@Test func `what ships in a user's host follows the one decision about the host`() throws {
  let world = TestWorld(bundles: bundle(rootOwned: false, point: TestWorld.point))
  let host = world.host()
  _ = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  world.approve("org.example.Editor", digest: "sha256:app")
  _ = try world.activation(world.activate(host))
  world.admin(.disable(.init(extension: "org.example.Editor")))
  #expect(world.count("stop") == 1)
  let error = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .disabled)
}

@Test(arguments: [Approval.person, .everything])
func `a host that is disabled takes what ships inside with it, whoever owns it`(approval: Approval) throws {
  let world = TestWorld(bundles: bundle(rootOwned: true, point: TestWorld.point), approval: approval)
  let host = world.host()
  _ = try world.activation(world.activate(host))
  world.admin(.disable(.init(extension: "org.example.Editor")))
  #expect(world.count("stop") == 1)
  let error = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .disabled)
}

@Test func `what follows its host's decision has no approval, but can be disabled and enabled`() throws {
  let world = TestWorld(bundles: bundle(rootOwned: false, point: TestWorld.point))
  for _ in 0..<2 {
    _ = try world.error(world.approve(), as: AdminInterface.NotApprovable.self)
    world.admin(.disable(.init(extension: "org.example.Editor")))
  }
  world.approve("org.example.Editor", digest: "sha256:app")
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  _ = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
  _ = try world.reply(world.approve(), as: AdminInterface.Approve.Reply.self)
  _ = try world.activation(world.activate(world.host()))
}

@Test func `a rescan that waits is answered by a scan that began after it`() throws {
  let world = TestWorld()
  world.admin(.rescan(.init()))
  let request = world.admin(.rescan(.init(wait: true)))
  let serials = world.effects.compactMap { if case .scanAll(let serial) = $0 { serial } else { nil } }
  #expect(serials.count == 2)
  world.send(.scanned(0))
  world.send(.scanned(serials[0]))
  #expect(world.answerCount(request) == 0)
  world.send(.scanned(serials[1]))
  _ = try world.reply(request, as: AdminInterface.Rescan.Reply.self)
}

@Test func `an extension is launched with the entitlements that were approved`() throws {
  let world = TestWorld(bundles: [TestWorld.points(), TestWorld.greeter(entitlements: ["audio", "gpu"])])
  _ = try world.error(world.approve(entitlements: ["gpu"]), as: AdminInterface.Changed.self)
  world.approve(entitlements: ["audio", "gpu"])
  _ = try world.activation(world.activate(world.host()))
  #expect(world.launches.map(\.entitlements) == [["audio", "gpu"]])
}

@Test func `a point of scope application takes only what ships inside its host`() throws {
  let world = TestWorld(bundles: [TestWorld.points(scope: .application), TestWorld.greeter()])
  world.approve()
  let error = try world.error(world.activate(world.host()), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .outOfScope)
}

@Test func `a sandboxed host uses only its own points, and only where it is verified`() throws {
  let world = TestWorld(bundles: bundle(rootOwned: true, point: TestWorld.point))
  let claimed = world.host(sandboxed: true)
  _ = try world.error(world.activate(claimed), as: BrokerInterface.NotPermitted.self)
  _ = try world.error(world.subscribe(claimed), as: BrokerInterface.NotPermitted.self)
  let verified = world.host(executable: "/roots/Editor.app/editor", sandboxed: true)
  _ = try world.activation(world.activate(verified))
  _ = try world.error(world.subscribe(verified, ["org.other.point"]), as: BrokerInterface.NotPermitted.self)
}

@Test func `a host's own points are those that it defines, not all whose names begin like its own`() throws {
  var facts = bundle(rootOwned: true, point: "org.example.Editor.Pro.greeting")
  var pro = BundleFacts(path: "/roots/Pro.app", rootIndex: 0, kind: .application)
  pro.identifier = "org.example.Editor.Pro"
  pro.points = [
    PointFacts(identifier: "org.example.Editor.Pro.greeting", host: pro.identifier, scope: .none)
  ]
  facts.append(pro)
  let world = TestWorld(bundles: facts)
  let request = world.activate(world.host())
  #expect(try world.error(request, as: BrokerInterface.ExtensionNotEnabled.self).state == .unapproved)
}

@Test(arguments: ["org.example.Greeter", "org.example.Nothing"])
func `a sandboxed host that may not use a point is not told what is there`(name: String) throws {
  let world = TestWorld()
  let claimed = world.host(sandboxed: true)
  _ = try world.error(world.activate(claimed, name), as: BrokerInterface.NotPermitted.self)
}

@Test(arguments: [
  ("org.example.Editor", true), ("a.b", true), ("org.example-2.X", true), ("org", false), ("org.", false),
  (".example", false), ("org..example", false), ("org.exa_mple", false), ("org.exämple", false),
  ("org.example/..", false), ("", false),
])
func `a host's name is a reverse-DNS identifier`(name: String, valid: Bool) throws {
  let world = TestWorld()
  let request = world.call(world.open(), .hello(.init(hostIdentifier: name)))
  if valid {
    _ = try world.reply(request, as: BrokerInterface.Hello.Reply.self)
  } else {
    #expect(try world.error(request, as: BrokerInterface.InvalidHost.self).message.contains("'\(name)'"))
  }
}

@Test func `of copies that differ only in their place the first one wins, whatever came first`() {
  let (first, second) = ("/roots/A.appex", "/roots/B.appex")
  for paths in [[first, second], [second, first]] {
    for versions in [["1.0", "1.00"], ["1.00", "1.0"], ["1", "1.0"]] {
      let world = TestWorld(bundles: [TestWorld.points()])
      for (path, version) in zip(paths, versions) {
        world.add([TestWorld.greeter(path: path, version: version)])
      }
      #expect(world.broker.catalog.winner(TestWorld.extensionName)?.path == first)
    }
  }
}

@Test func `an extension that is made for another version of its point is refused before a launch`() throws {
  let world = TestWorld()
  var greeter = TestWorld.greeter()
  greeter.pointVersion = "1.4"
  func point(_ version: String?) -> BundleFacts {
    var points = TestWorld.points()
    points.points[0].version = version
    return points
  }
  world.approve()
  world.add([point("1.3"), greeter])
  let host = world.host()
  let stream = world.subscribe(host)
  #expect(world.stream(stream).last?.snapshot?.identities.isEmpty == true)
  let error = try world.error(world.activate(host), as: BrokerInterface.ExtensionNotEnabled.self)
  #expect(error.state == .incompatible)
  #expect(error.message.contains("1.4") && error.message.contains("1.3"), "\(error.message)")
  #expect(world.steps.isEmpty)
  let request = world.admin(.explain(.init(extension: TestWorld.extensionName)))
  let gates = try world.reply(request, as: AdminInterface.Explain.Reply.self).gates
  #expect(gates.first { $0.name == "compatible" }?.result == .fail)
  for (version, names) in [("1.4", 1), ("2.0", 0), (nil, 1), ("1.10", 1)] {
    world.add([point(version)])
    let snapshot = world.call(host, .discover(.init(extensionPoints: [TestWorld.point])))
    let found = try world.reply(snapshot, as: BrokerInterface.Discover.Reply.self).snapshot.identities
    #expect(found.count == names, "\(version ?? "none")")
  }
}
