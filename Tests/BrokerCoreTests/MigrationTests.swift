import ExtensionInterfaces
import Testing

@testable import BrokerCore

// Decisions that go to another broker, and what is left of what is gone.

private let key = "SHA256:" + String(repeating: "A", count: 43)

extension TestWorld {
  fileprivate func exported() throws -> [AdminInterface.Decision] {
    try reply(admin(.exportDecisions(.init())), as: AdminInterface.ExportDecisions.Reply.self).decisions
  }

  fileprivate func take(_ decisions: [AdminInterface.Decision], replace: Bool? = nil) -> RequestID {
    admin(.importDecisions(.init(decisions: decisions, replace: replace)))
  }

  fileprivate func state() -> CatalogEntry.State? { broker.catalog.entries[Self.path]?.state }

  /// What is asked of the storage at once, done.
  fileprivate func finishMigration() {
    while let effect = effects.first {
      effects.removeFirst()
      switch effect {
      case .importDecisions(let request, let decisions): send(.decisionsImported(request, decisions))
      case .forgetExtension(let request, let identifier, let decisions):
        send(.forgotten(request, identifier, decisions))
      case .removeContainer(let request, let identifier, let peer):
        send(.containerRemoved(request, identifier, by: peer))
      default: break
      }
    }
  }
}

@Test func `decisions that were exported hold where they are imported, for the same content`() throws {
  let first = TestWorld()
  first.approve()
  first.admin(.revokePublisher(.init(fingerprint: key)))
  first.admin(.pin(.init(path: TestWorld.path)))
  let decisions = try first.exported()
  #expect(
    Set(decisions.map(\.identifier)) == [TestWorld.extensionName, key, "pin:" + TestWorld.extensionName])

  let second = TestWorld()
  let request = second.take(decisions)
  // Not before it is on the disk.
  #expect(second.answerCount(request) == 0 && second.state() == .unapproved)
  second.finishMigration()
  #expect(try second.reply(request, as: AdminInterface.ImportDecisions.Reply.self).imported == 3)
  #expect(second.state() == .enabled)
  #expect(try second.exported().map(\.identifier) == decisions.map(\.identifier))

  let third = TestWorld(bundles: [TestWorld.points(), TestWorld.greeter(digest: "sha256:2")])
  _ = third.take(decisions)
  third.finishMigration()
  #expect(third.state() == .changed)
}

@Test func `an import leaves what was decided here, unless it is to replace it`() throws {
  let other = TestWorld()
  other.approve()
  let world = TestWorld()
  world.admin(.disable(.init(extension: TestWorld.extensionName)))
  let request = world.take(try other.exported())
  world.finishMigration()
  #expect(try world.reply(request, as: AdminInterface.ImportDecisions.Reply.self).imported == 0)
  #expect(world.state() == .disabled)
  _ = world.take(try other.exported(), replace: true)
  world.finishMigration()
  #expect(world.state() == .enabled)
}

@Test(
  arguments: [
    .init(identifier: "no identifier", decision: .disabled, time: 0, entitlements: [], peer: ""),
    .init(identifier: "org.example.A", decision: .enabled, time: 0, entitlements: [], peer: ""),
    .init(identifier: "org.example.A", decision: .revoked, time: 0, entitlements: [], peer: ""),
    .init(identifier: "org.example.A", decision: .reset, time: 0, entitlements: [], peer: ""),
    .init(identifier: "pin:org.example.A", decision: .pinned, time: 0, entitlements: [], peer: ""),
    .init(identifier: "org.example.A", decision: .disabled, time: 0, entitlements: ["a\nb"], peer: ""),
  ] as [AdminInterface.Decision])
func `of decisions one of which is none, nothing is imported`(bad: AdminInterface.Decision) throws {
  let good = AdminInterface.Decision(
    identifier: TestWorld.extensionName, decision: .disabled, time: 0, entitlements: [], peer: "")
  let world = TestWorld()
  let request = world.take([good, bad])
  world.finishMigration()
  #expect(try world.error(request, as: AdminInterface.InvalidDecision.self).identifier == bad.identifier)
  #expect(world.state() == .unapproved)
}

@Test func `what is there or runs is not forgotten, what is gone is`() throws {
  let world = TestWorld()
  world.approve()
  let host = world.host()
  _ = try world.activation(world.activate(host))
  func forget() -> RequestID { world.admin(.forget(.init(extension: TestWorld.extensionName))) }
  #expect(try world.error(forget(), as: AdminInterface.StillThere.self).paths == [TestWorld.path])
  world.send(.bundles(found: [], removed: [TestWorld.path]))
  #expect(try world.error(forget(), as: AdminInterface.StillThere.self).paths == [])
  try world.endInstance()
  let request = forget()
  world.finishMigration()
  _ = try world.reply(request, as: AdminInterface.Forget.Reply.self)
  #expect(try world.exported().isEmpty)
  world.add([TestWorld.greeter()])
  #expect(world.state() == .unapproved)
  _ = try world.error(
    world.admin(.forget(.init(extension: "../x"))), as: AdminInterface.ExtensionNotFound.self)
}

@Test func `what comes back while its container is removed keeps what is decided then`() throws {
  let world = TestWorld()
  world.send(.bundles(found: [], removed: [TestWorld.path]))
  world.effects = []
  let request = world.admin(.forget(.init(extension: TestWorld.extensionName)))
  let removals = world.effects.compactMap {
    if case .removeContainer(_, let identifier, let peer) = $0 { (identifier, peer) } else { nil }
  }
  let (identifier, peer) = try #require(removals.first)
  world.add([TestWorld.greeter()])
  world.approve()
  world.send(.containerRemoved(request, identifier, by: peer))
  #expect(try world.error(request, as: AdminInterface.StillThere.self).paths == [TestWorld.path])
  world.finishMigration()
  #expect(world.state() == .enabled)
}

@Test func `what was gone for long is forgotten unless it has come back`() throws {
  let world = TestWorld()
  world.approve()
  let present = world.effects.compactMap { if case .notePresent(let names) = $0 { names } else { nil } }
  #expect(present == [[TestWorld.extensionName]])
  world.send(.expired([TestWorld.extensionName]))
  #expect(!world.effects.contains { if case .removeContainer = $0 { true } else { false } })
  world.send(.bundles(found: [], removed: [TestWorld.path]))
  world.send(.expired([TestWorld.extensionName]))
  world.finishMigration()
  #expect(try world.exported().isEmpty)
}
