import ExtensionInterfaces
import Testing

@testable import BrokerCore

// What hosts and people are shown of an extension.

private func greeter(_ translations: [String: String]) -> BundleFacts {
  var facts = TestWorld.greeter()
  facts.name = LocalizedText("Greeter", translations: translations)
  return facts
}

@Test func `each host gets the names that its own person reads, in snapshots and in changes`() throws {
  let world = TestWorld(bundles: [TestWorld.points(), greeter(["de": "Grüßer"])])
  world.approve()
  let streams = [["de_AT.UTF-8"], ["fr"], []].map { languages in
    let peer = world.open()
    world.call(peer, .hello(.init(hostIdentifier: "org.example.Editor", languages: languages)))
    return world.subscribe(peer)
  }
  let names = streams.map { world.stream($0).first?.snapshot?.identities.map(\.localizedName) }
  #expect(names == [["Grüßer"], ["Greeter"], ["Greeter"]])
  world.add([greeter(["de": "Grüßer", "fr": "Salueur"])])
  let changes = streams.map { world.stream($0).last?.change?.updated.map(\.localizedName) }
  #expect(changes == [nil, ["Salueur"], nil], "only whose name is another one is told")
}

@Test func `who says no language gets those of the broker, and too many are left out`() throws {
  let world = TestWorld(unknowing: "g")
  world.broker = Broker(generation: "g", languages: ["fr_FR"])
  world.send(.decisionsLoaded([]))
  world.send(.policyLoaded(Policy()))
  world.add([TestWorld.points(), greeter(["de": "Grüßer", "fr": "Salueur"])])
  world.send(.scanned(0))
  world.connectLauncher()
  func name(_ languages: [String]?) throws -> String? {
    let request = world.admin(.list(.init(extension: TestWorld.extensionName, languages: languages)))
    return try world.reply(request, as: AdminInterface.List.Reply.self).extensions.first?.localizedName
  }
  #expect(try name(nil) == "Salueur")
  #expect(try name([]) == "Greeter")
  let many = (1...20).map { "x\($0)" }
  #expect(try name(many + ["de"]) == "Greeter")
  #expect(try name([String(repeating: "x", count: 65), "de"]) == "Grüßer")
}

@Test func `hosts and people get what an extension says of itself, each in its language`() throws {
  var facts = greeter([:])
  facts.details.description = LocalizedText("Greets", translations: ["de": "Grüßt"])
  facts.details.homePage = "https://example.org/"
  let world = TestWorld(bundles: [TestWorld.points(), TestWorld.greeter()])
  world.approve()
  let peer = world.open()
  world.call(peer, .hello(.init(hostIdentifier: "org.example.Editor", languages: ["de"])))
  let stream = world.subscribe(peer)
  #expect(world.stream(stream).first?.snapshot?.identities.first.map(\.details) == .some(nil))
  world.add([facts])
  let details = world.stream(stream).last?.change?.updated.first?.details
  #expect(details == .init(description: "Grüßt", homePage: "https://example.org/"))
  let list = world.admin(.list(.init(extension: TestWorld.extensionName)))
  let row = try world.reply(list, as: AdminInterface.List.Reply.self).extensions.first
  #expect(row?.details?.description == "Greets")
}
