internal import LinuxSystem
internal import Testing

@testable internal import ExtensionFoundation

extension AppExtensionPoint {
  @Definition static var plain: AppExtensionPoint {
    Name("Plain")
  }

  @Definition static var full: AppExtensionPoint {
    Name("Full")
    Scope(restriction: .none)
    UserInterface(true)
    EnhancedSecurity(true)
  }

  @Definition static var nameless: AppExtensionPoint {
    Name("")
  }
}

struct DefinitionTests {
  @Test func `A definition needs only a name`() {
    #expect(AppExtensionPoint.plain.id == "Plain")
    #expect(!AppExtensionPoint.plain.presentsUserInterface)
    #expect(AppExtensionPoint.plain.restriction == .application)
  }

  @Test func `The attributes come in any order`() {
    #expect(AppExtensionPoint.full.presentsUserInterface)
    #expect(AppExtensionPoint.full.restriction == .none)
  }

  @Test func `A binding names host and point`() {
    @AppExtensionPoint.Bind var bound: AppExtensionPoint {
      AppExtensionPoint.Identifier(host: "org.example.Editor", name: "Spelling")
    }
    #expect(bound.id == "org.example.Editor.Spelling")
    #expect(AppExtensionPoint.Identifier("a.b") == AppExtensionPoint.Identifier(host: "a", name: "b"))
  }

  @Test func `An identifier is checked`() throws {
    #expect(try AppExtensionPoint(identifier: "org.example.A").fullIdentifier() == "org.example.A")
    for wrong: StaticString in [
      "", "Spelling", "org..Spelling", ".org.Spelling", "org.example.Spéll", "org.a b",
    ] {
      #expect(throws: AppExtensionPoint.Error.invalidAppExtensionPoint) {
        try AppExtensionPoint(identifier: wrong)
      }
    }
  }

  @Test func `A definition without a name is refused`() {
    #expect(throws: AppExtensionPoint.Error.unspecifiedAppExtensionPointName) {
      try AppExtensionPoint.nameless.fullIdentifier()
    }
  }

  @Test @MainActor func `A handler may answer with a decision, a literal, or a Bool`() throws {
    let connection = AppExtensionConnection(try Socket.pair().0, activationID: "1", sceneID: "S")
    let allowed = connection.sceneID == "S"
    #expect(ConnectionHandler { _ in true }.decide(on: connection) == .accept)
    #expect(ConnectionHandler { _ in allowed }.decide(on: connection) == .accept)
    let refusal = ConnectionHandler(scenes: ["S"]) { _ in .reject(reason: "busy") }
    #expect(refusal.decide(on: connection) == .reject(reason: "busy"))
    #expect(!refusal.accept(connection: connection))
    #expect(refusal.scenes == ["S"])
  }
}
