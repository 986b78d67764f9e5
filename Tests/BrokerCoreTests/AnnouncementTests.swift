import ExtensionInterfaces
import Testing

@testable import BrokerCore

// What the person is told of without asking.

extension TestWorld {
  /// What was announced by now, one element for each time.
  fileprivate var announced: [[String]] {
    effects.compactMap {
      if case .announce(let all, _) = $0 {
        all.map { "\($0.content.identifier) \($0.content.digest)" }
      } else {
        nil
      }
    }
  }

  fileprivate var withdrawn: [AnnouncedContent] {
    effects.flatMap { effect -> [AnnouncedContent] in
      if case .withdrawAnnouncements(let all) = effect { all } else { [] }
    }
  }

  fileprivate func waitForAnnouncement() { pass(20_000) }
}

private let greeter = TestWorld.extensionName

private func host(rootOwned: Bool = false, digest: String = "sha256:host") -> [BundleFacts] {
  var application = BundleFacts(path: "/roots/Editor.app", rootIndex: 0, kind: .application)
  application.identifier = "org.example.Editor"
  application.name = LocalizedText("Editor")
  application.digest = digest
  application.rootOwned = rootOwned
  application.points = TestWorld.points().points
  return [application]
    + (1...3).map { number in
      var inside = TestWorld.greeter(path: "/roots/Editor.app/Extensions/\(number).appex")
      inside.identifier = "org.example.Editor.\(number)"
      inside.containingPath = application.path
      inside.containingHost = application.identifier
      inside.rootOwned = rootOwned
      return inside
    }
}

private func decision(_ verdict: Decision.Verdict, digest: String = "sha256:1") -> Decision {
  Decision(
    identifier: greeter, verdict: verdict, digest: digest, entitlements: [], rootOwned: false, time: 0,
    peer: "")
}

private struct Case: CustomTestStringConvertible {
  let testDescription: String
  var bundles: [BundleFacts] = [TestWorld.points(), TestWorld.greeter()]
  var decisions: [Decision] = []
  var approval = Approval.person
  let announced: [String]

  static var all: [Case] {
    var broken = TestWorld.greeter()
    broken.problems = [.init(check: "x", message: "y")]
    var developed = TestWorld.greeter()
    developed.isDeveloped = true
    var strange = TestWorld.greeter()
    strange.incompatibility = "needs another machine"
    return [
      Case(testDescription: "one that is new", announced: ["\(greeter) sha256:1"]),
      Case(testDescription: "an approved one", decisions: [decision(.enabled)], announced: []),
      Case(
        testDescription: "one that changed since", decisions: [decision(.enabled, digest: "sha256:0")],
        announced: ["\(greeter) sha256:1"]),
      Case(testDescription: "a disabled one", decisions: [decision(.disabled)], announced: []),
      Case(testDescription: "a broken one", bundles: [TestWorld.points(), broken], announced: []),
      Case(testDescription: "an incompatible one", bundles: [TestWorld.points(), strange], announced: []),
      Case(testDescription: "a developer's", bundles: [TestWorld.points(), developed], announced: []),
      Case(testDescription: "where everything is approved", approval: .everything, announced: []),
      Case(
        testDescription: "two copies: the one that counts",
        bundles: [
          TestWorld.points(), TestWorld.greeter(digest: "sha256:old"),
          TestWorld.greeter(path: "/roots/New.appex", digest: "sha256:new", version: "2.0"),
        ], announced: ["\(greeter) sha256:new"]),
      Case(
        testDescription: "a host with three: the host, once", bundles: host(),
        announced: ["org.example.Editor sha256:host"]),
      Case(
        testDescription: "a host that root alone can write", bundles: host(rootOwned: true), announced: []),
    ]
  }
}

@Test(arguments: Case.all)
private func `who waits for the person is announced, and nobody else`(it: Case) {
  let world = TestWorld(
    bundles: it.bundles.filter { !$0.isDeveloped }, decisions: it.decisions, approval: it.approval)
  if let developed = it.bundles.first(where: \.isDeveloped) {
    world.admin(.develop(.init(path: developed.path)), more: true)
    world.send(.developed(path: developed.path, [developed]))
  }
  world.send(.announcementsLoaded([]))
  world.waitForAnnouncement()
  #expect(world.announced == (it.announced.isEmpty ? [] : [it.announced]))
}

@Test func `nothing is announced while it is not known what was, and nothing again that was`() {
  let world = TestWorld()
  world.waitForAnnouncement()
  #expect(world.announced == [])
  world.send(.announcementsLoaded([.init(identifier: greeter, digest: "sha256:1")]))
  world.waitForAnnouncement()
  #expect(world.announced == [])
  world.add([TestWorld.greeter(digest: "sha256:2")])
  world.waitForAnnouncement()
  #expect(world.announced == [["\(greeter) sha256:2"]])
  world.send(.bundles(found: [], removed: [TestWorld.path]))
  world.add([TestWorld.greeter(digest: "sha256:2")])
  world.waitForAnnouncement()
  #expect(world.announced.count == 1)
}

@Test func `what comes together is announced together, and what was decided meanwhile is not`() throws {
  let world = TestWorld(bundles: [TestWorld.points()])
  world.send(.announcementsLoaded([]))
  for number in 1...30 {
    var facts = TestWorld.greeter(path: "/roots/\(number).appex")
    facts.identifier = "org.example.n\(number)"
    world.add([facts])
    world.pass(10)
  }
  #expect(world.announced == [])
  world.admin(.disable(.init(extension: "org.example.n1")))
  world.pass(1_000)
  #expect(world.announced.map(\.count) == [29])
  // However many come, there is time between two notifications.
  world.add([TestWorld.greeter()])
  world.pass(2_000)
  #expect(world.announced.count == 1)
  world.pass(8_000)
  #expect(world.announced.map(\.count) == [29, 1])
}

@Test func `what was announced of an application's own extensions stays until it is decided`() {
  let world = TestWorld(bundles: host())
  let content = AnnouncedContent(identifier: "org.example.Editor", digest: "sha256:host")
  world.send(.announcementsLoaded([content], open: [content]))
  world.waitForAnnouncement()
  #expect(world.announced == [])
  #expect(world.withdrawn == [])
  world.admin(.disable(.init(extension: "org.example.Editor")))
  for number in 1...3 { world.admin(.disable(.init(extension: "org.example.Editor.\(number)"))) }
  #expect(world.withdrawn == [content])
}

@Test func `what nobody showed of an application's own extensions is tried again`() {
  let world = TestWorld(bundles: host())
  world.send(.announcementsLoaded([]))
  world.waitForAnnouncement()
  world.send(.announcementFailed([.init(identifier: "org.example.Editor", digest: "sha256:host")]))
  world.waitForAnnouncement()
  #expect(world.announced == [["org.example.Editor sha256:host"], ["org.example.Editor sha256:host"]])
}

@Test func `what may be in a root that does not answer stays announced`() {
  let world = TestWorld(bundles: [TestWorld.points()])
  let content = AnnouncedContent(identifier: greeter, digest: "sha256:1")
  world.send(.rootsUnread(["/roots/other"]))
  world.send(.announcementsLoaded([content], open: [content]))
  #expect(world.withdrawn == [])
  world.send(.rootsUnread([]))
  world.send(.scanned(0))
  #expect(world.withdrawn == [content])
}

@Test func `what nobody showed is tried again, and not for ever`() {
  let world = TestWorld()
  world.send(.announcementsLoaded([]))
  for _ in 0..<20 {
    world.pass(1_000_000)
    let asked = world.announced.count
    world.send(.announcementFailed([.init(identifier: greeter, digest: "sha256:1")]))
    if world.broker.nextDeadline == nil { break }
    #expect(asked == world.announced.count)
  }
  #expect(world.announced.count == world.broker.limits.announcementTries + 1)
  #expect(world.broker.nextDeadline == nil)
}

@Test func `what is remembered is bounded, and the oldest goes first`() {
  var limits = Limits()
  limits.rememberedAnnouncements = 2
  let world = TestWorld(limits: limits)
  world.send(.announcementsLoaded([]))
  for number in 1...3 {
    world.add([TestWorld.greeter(digest: "sha256:\(number)")])
    world.waitForAnnouncement()
  }
  #expect(world.broker.announcements.order?.map(\.digest) == ["sha256:2", "sha256:3"])
}

@Test func `very many that wait are looked at a part at a time, and counted in one notification`() {
  let count = 10_000
  let all = (0..<count).map { number in
    var facts = TestWorld.greeter(path: "/roots/\(number).appex", digest: "sha256:\(number)")
    facts.identifier = "org.example.n\(number)"
    return facts
  }
  let world = TestWorld(bundles: [TestWorld.points()] + all)
  world.send(.announcementsLoaded([]))
  func turns(until over: () -> Bool) -> Int {
    for turn in 0..<1000 {
      if over() { return turn }
      // A turn that does it all has nothing left to do at once.
      world.pass(max(0, (world.broker.nextDeadline ?? .max) - world.now.monotonic))
    }
    return .max
  }
  let counted = {
    world.effects.compactMap { effect -> Int? in
      if case .announce(let all, let further) = effect { all.count + further } else { nil }
    }
  }
  // Each is looked at twice: when it comes, and when it is announced. A few hundred a turn.
  #expect((50..<200).contains(turns { !world.announced.isEmpty }))
  #expect(counted() == [count])
  let limit = world.broker.limits.rememberedAnnouncements
  #expect(world.announced.map(\.count) == [limit])
  guard
    case .announce(let shown, _)? = world.effects.last(where: {
      if case .announce = $0 { true } else { false }
    })
  else { return }
  // Tried again with all of them, not in one turn either.
  world.send(.announcementFailed(shown.map(\.content)))
  #expect((25..<100).contains(turns { world.announced.count == 2 }))
  #expect(counted() == [count, count])
  // What was only counted is not told of with the next one that comes.
  world.add([TestWorld.greeter()])
  #expect(turns { world.announced.count == 3 } < 5)
  #expect(counted() == [count, count, 1])
}

private func one(_ name: String, host: String? = "Editor", isChanged: Bool = false) -> Announcement {
  Announcement(
    content: .init(identifier: greeter, digest: "d"), name: name, host: host, isChanged: isChanged)
}

@Test(
  arguments: [
    ("Word Count", "Word Count (\(greeter)), for Editor. It is not used before you approve it."),
    (
      "<b>A</b> & \"B\"",
      "&lt;b&gt;A&lt;/b&gt; &amp; &quot;B&quot; (\(greeter)), for Editor. It is not used before you approve it."
    ),
    (
      "a\u{1B}[31m\r\n\nb\u{202E}c\u{0}",
      "a[31m bc (\(greeter)), for Editor. It is not used before you approve it."
    ),
    ("\u{7}", "\(greeter), for Editor. It is not used before you approve it."),
  ])
func `a name says nothing but itself in a notification`(name: String, body: String) {
  let text = AnnouncementText([one(name)], markup: true, namesCommand: false)
  #expect(text.title == "An extension waits for approval")
  #expect(text.body == body)
}

@Test func `a notification is bounded, and names the command where nothing can be clicked`() {
  let long = String(repeating: "x", count: 10_000)
  let text = AnnouncementText([one(long, host: long)], markup: true, namesCommand: true)
  #expect(text.body.utf8.count < 400)
  #expect(text.body.hasSuffix("\nTo look at it: extctl browse \(greeter)"))
  let many = AnnouncementText(
    (0..<500).map { one("\($0)" + long) }, markup: false, namesCommand: true)
  #expect(many.title == "500 extensions wait for approval")
  #expect(many.body.contains("and 497 more") && many.body.utf8.count < 700)
  let beyond = AnnouncementText(
    (0..<500).map { one("\($0)" + long) }, further: 10, markup: false, namesCommand: true)
  #expect(beyond.title == "510 extensions wait for approval" && beyond.body.contains("and 507 more"))
  #expect(AnnouncementText([one("a < b")], markup: false, namesCommand: false).body.hasPrefix("a < b ("))
  #expect(
    AnnouncementText([one("a", isChanged: true)], markup: false, namesCommand: false).title.contains(
      "changed"))
}
