import ExtensionInterfaces
import Testing

@testable import BrokerCore

// What hosts may ask for, and what people learn of it.

extension TestWorld {
  fileprivate func explain(host: String? = nil, scene: String? = nil) throws -> [AdminInterface.Gate] {
    let request = admin(.explain(.init(extension: Self.extensionName, host: host, scene: scene)))
    return try reply(request, as: AdminInterface.Explain.Reply.self).gates
  }

  fileprivate func report(_ peer: PeerID, _ message: String, about name: String = extensionName) -> RequestID
  {
    call(peer, .report(.init(extension: name, message: message)))
  }
}

@Test func `what a host reports about an extension is shown by explain, the newest of it and not for ever`()
  throws
{
  var limits = Limits()
  limits.reportsPerExtension = 2
  limits.reportBytes = 5
  let world = TestWorld(limits: limits)
  let host = world.host()
  for message in ["one", "two", "three and more"] {
    _ = try world.reply(world.report(host, message), as: BrokerInterface.Report.Reply.self)
  }
  let gates = try world.explain().filter { $0.name == "reported" }
  #expect(gates.map(\.evidence) == ["by org.example.Editor: two", "by org.example.Editor: three"])
  // It shuts nothing.
  #expect(gates.allSatisfy { $0.result == .unknown })
}

@Test func `a host reports only so much in a minute, and only what it may know`() throws {
  var limits = Limits()
  limits.reportsPerMinute = 2
  let world = TestWorld(limits: limits)
  let host = world.host()
  _ = try world.error(
    world.report(host, "x", about: "org.example.Nothing"), as: BrokerInterface.ExtensionNotFound.self)
  for _ in 0..<2 { _ = try world.reply(world.report(host, "x"), as: BrokerInterface.Report.Reply.self) }
  #expect(
    try world.error(world.report(host, "x"), as: BrokerInterface.LimitReached.self).limit
      == "reportsPerMinute")
  let sandboxed = world.host("org.example.Other", sandboxed: true)
  _ = try world.error(world.report(sandboxed, "x"), as: BrokerInterface.ExtensionNotFound.self)
  world.pass(60_001)
  _ = try world.reply(world.report(host, "x"), as: BrokerInterface.Report.Reply.self)
}

@Test func `a host starts only so many instances in a minute, and another host is not kept from it`() throws {
  var limits = Limits()
  limits.launchesPerMinute = 1
  let world = TestWorld(limits: limits)
  world.approve()
  let host = world.host(process: 500)
  _ = try world.activation(world.activate(host))
  // One that runs is used again.
  _ = try world.activation(world.activate(host))
  try world.endInstance()
  let error = try world.error(world.activate(host), as: BrokerInterface.LimitReached.self)
  #expect(error.limit == "launchesPerMinute" && error.value == 1)
  _ = try world.activation(world.activate(world.host(process: 501)))
  world.pass(60_001)
  _ = try world.activation(world.activate(host))
}

@Test func `quotas are kept no longer than they count`() throws {
  let world = TestWorld()
  world.approve()
  let host = world.host()
  _ = try world.activation(world.activate(host))
  world.send(.peerClosed(host))
  #expect(world.broker.quotas.count == 1)
  world.pass(60_001)
  world.send(.peerClosed(world.host()))
  #expect(world.broker.quotas.isEmpty)
}

@Test(
  arguments: [
    ("app-flatpak-org.example.Editor-123.scope", "org.example.Editor"),
    ("app-flatpak-org.example.Edi\\x2dtor-123.scope", "org.example.Edi-tor"),
    ("app-gnome-org.example.Editor-123.scope", nil), ("session-1.scope", nil), (nil, nil),
  ] as [(String?, String?)])
func `people see what the kernel vouches for of a host`(group: String?, flatpak: String?) throws {
  let world = TestWorld()
  _ = world.host(executable: "/usr/bin/editor", group: group)
  let row = try #require(
    try world.reply(world.admin(.listHosts(.init())), as: AdminInterface.ListHosts.Reply.self).hosts.first)
  #expect(row.executable == "/usr/bin/editor" && row.controlGroup == group && row.flatpak == flatpak)
}

@Test func `explain goes through all gates in order and says what was last heard`() throws {
  let world = TestWorld()
  world.scenes = ["main"]
  world.approve()
  let names = [
    "found", "parsed", "valid", "permissions", "compatible", "winner", "scope", "signature", "entitlements",
    "policy", "decision", "quarantine", "limits", "launcher", "sandbox", "host", "scene", "last launch",
    "last handshake",
  ]
  #expect(try world.explain(host: "org.example.Editor", scene: "main").map(\.name) == names)
  let host = world.host()
  _ = try world.activation(world.activate(host, connect: true))
  let gates = try world.explain(host: "org.example.Editor", scene: "other")
  #expect(gates.first { $0.name == "last handshake" }?.evidence == "it accepted a connection")
  #expect(gates.filter { $0.result == .fail }.map(\.evidence) == ["it has no scene other; it offers main"])
}
