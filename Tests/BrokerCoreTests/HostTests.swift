import ExtensionInterfaces
import Testing

@testable import BrokerCore

// Who a host is, and what is told of it.

private func editor() -> BundleFacts {
  var facts = BundleFacts(path: "/roots/Editor.app", rootIndex: 0, kind: .application)
  facts.identifier = "org.example.Editor"
  facts.digest = "sha256:app"
  return facts
}

private func world(_ change: (inout BundleFacts) -> Void = { _ in }) -> TestWorld {
  var facts = editor()
  change(&facts)
  return TestWorld(bundles: [TestWorld.points(), TestWorld.greeter(), facts])
}

private func isVerified(_ world: TestWorld, _ peer: PeerID) -> Bool {
  world.broker.sessions[peer]?.verified == true
}

@Test func `a host is verified by the program of its bundle, where that path leads to it for us too`() {
  let world = world { $0.program = "editor" }
  #expect(isVerified(world, world.host(executable: "/roots/Editor.app/editor")))
  #expect(!isVerified(world, world.host(executable: "/roots/Editor.app/other")))
  #expect(!isVerified(world, world.host("org.example.Viewer", executable: "/roots/Editor.app/editor")))
  #expect(!isVerified(world, world.host(executable: "/roots/Editor.app/editor", isExecutableHere: false)))
  var broken = editor()
  broken.program = "editor"
  broken.problems = [.init(check: "keyType", message: "")]
  world.add([broken])
  #expect(!isVerified(world, world.host(executable: "/roots/Editor.app/editor")))
}

@Test(arguments: [
  ("org.example.Editor", "app-org.example.Editor-1234.scope", true),
  ("org.example.Editor", "app-gnome-org.example.Editor-1234.scope", true),
  ("org.example.Editor", "app-flatpak-org.example.Editor-1234.scope", true),
  ("org.example.Editor", "app-org.example.Editor.scope", true),
  ("org.example.Editor", "app-org.example.Editor@autostart.service", true),
  ("org.example.Editor", "app-org.example.Editor.service", true),
  ("org.my-org.Editor", "app-org.my\\x2dorg.Editor-1.scope", true),
  ("org.my-org.Editor", "app-org.my-org.Editor-1.scope", false),
  ("org.example.Editor", "app-org.example.EditorPlus-1234.scope", false),
  ("org.example.Editor", "app-com.org.example.Editor-1234.scope", false),
  ("org.example.Editor", "app-org.example.Editor-org.example.Other.scope", false),
  ("org.example.Editor", "app-org.example.Editor-org.example.Other-1.scope", false),
  ("org.example.Editor", "org.example.Editor-1234.scope", false),
  ("org.example.Editor", "app-org.example.Editor-1234.slice", false),
  ("org.example.Editor", "session-2.scope", false),
])
func `a host is verified by the control group that a desktop gives its application`(
  identifier: String, group: String, verified: Bool
) {
  let world = world()
  #expect(isVerified(world, world.host(identifier, group: group)) == verified)
}

@Test func `explaining tells how far a host is known, and shuts its gate only for a sandbox that may not`()
  throws
{
  let world = world { $0.program = "editor" }
  world.approve()
  func gate(_ host: String) throws -> (AdminInterface.Gate.Result, String, Bool) {
    let reply: AdminInterface.Explain.Reply = try world.reply(
      world.admin(.explain(.init(extension: TestWorld.extensionName, host: host))))
    let gate = try #require(reply.gates.first { $0.name == "host" })
    return (gate.result, gate.evidence, reply.usable)
  }
  #expect(try gate("org.example.Editor") == (.unknown, "org.example.Editor is not connected", true))
  _ = world.host("org.example.Viewer", sandboxed: true)
  let shut = try gate("org.example.Viewer")
  #expect(shut.0 == .fail && shut.1.contains("claimed, from a sandbox") && !shut.2)
  _ = world.host("org.example.Viewer")
  #expect(try gate("org.example.Viewer") == (.pass, "org.example.Viewer is connected, claimed", true))
  _ = world.host(executable: "/roots/Editor.app/editor", sandboxed: true)
  #expect(try gate("org.example.Editor") == (.pass, "org.example.Editor is connected, verified", true))
}

@Test func `a bundle proves a program elsewhere only if it is from root, or approved as it is`() {
  let path = "/usr/bin/editor"
  func described(rootOwned: Bool, digest: String = "sha256:app") -> BundleFacts {
    var facts = editor()
    facts.programs = [path]
    facts.rootOwned = rootOwned
    facts.digest = digest
    return facts
  }
  let world = TestWorld(bundles: [described(rootOwned: false)])
  func verified() -> Bool { isVerified(world, world.host(executable: path)) }
  #expect(!verified())
  world.approve("org.example.Editor", digest: "sha256:app")
  #expect(verified())
  #expect(!isVerified(world, world.host(executable: "/usr/bin/other")))
  #expect(!isVerified(world, world.host(executable: path, isExecutableHere: false)))
  world.add([described(rootOwned: false, digest: "sha256:other")])
  #expect(!verified(), "it is not what was approved")
  world.admin(.reset(.init(extension: "org.example.Editor")))
  world.add([described(rootOwned: true)])
  #expect(verified())
  world.admin(.disable(.init(extension: "org.example.Editor")))
  #expect(!verified())
}
