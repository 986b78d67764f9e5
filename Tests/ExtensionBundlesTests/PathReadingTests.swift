import ExtensionBundles
import LinuxSystem
import Testing

/// What is read at a path that somebody names, in a root or not.
@Suite struct PathReadingTests {
  let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func read(_ name: String, followingLink: Bool = false) throws -> [BundleRecord] {
    try Fixtures.scanner.read(path: place.path(name), followingLink: followingLink)
  }

  @Test func `A bundle anywhere is read as in a root`() throws {
    try place.makeExtension("down/here/Greeter.appex")
    let record = try #require(try read("down/here/Greeter.appex").first)
    #expect(record.isUsable && record.identifier == "org.example.Greeter")
    #expect(
      try read("down/here/Greeter.appex")
        == Fixtures.scanner.read("Greeter.appex", inRoot: place.path("down/here")))
    #expect(throws: Errno.noEntry) { try read("none.appex") }
  }

  @Test(arguments: [
    ("Greeter.appx", "Greeter.appex"), ("Greeter.APPEX", "Greeter.appex"), ("Greeter", "Greeter.appex"),
    ("Greeter.appex.tmp", "Greeter.appex"), (".Greeter.appex", "Greeter.appex"),
    ("Greeter.plugin", "Greeter.appex"),
  ])
  func `An extension by a wrong name says what it should be called`(name: String, right: String) throws {
    try place.makeExtension(name)
    let record = try #require(try read(name).first)
    #expect(record.isNearMiss && record.checks == [.wrongSuffix])
    #expect(record.problems.first?.message.contains("rename it to \(right)") == true)
    #expect(record.identifier == "org.example.Greeter")
  }

  @Test func `A directory that is nearly an extension says all that is wrong`() throws {
    try place.write("x", to: "Greeter.appx/readme")
    let record = try #require(try read("Greeter.appx").first)
    #expect(record.isNearMiss && record.checks == [.wrongSuffix, .infoMissing])
  }

  @Test func `A host or a file of points by a wrong name says what it should be called`() throws {
    try place.makeApplication("Host.Apps")
    #expect(try read("Host.Apps").first?.problems.first?.message.contains("Host.app") == true)
    try place.makeApplication("Host")
    #expect(try read("Host").first?.problems.first?.message.contains("Host.app") == true)
    try place.write(Fixtures.plist("<key>a.b</key><dict/>"), to: "p.appextensionpoints")
    let file = try #require(try read("p.appextensionpoints").first)
    #expect(file.checks == [.wrongSuffix] && file.points.map(\.identifier) == ["a.b"])
  }

  @Test(arguments: ["notes.txt", "folder"])
  func `What is nothing at all is told so`(name: String) throws {
    try place.write("x", to: name == "folder" ? "folder/x" : name)
    let record = try #require(try read(name).first)
    #expect(record.isNearMiss && record.checks == [.wrongSuffix])
    #expect(record.problems.first?.message.contains(".appextensionpoint") == true)
  }

  @Test func `An application is read with what is inside, and what is inside as its part`() throws {
    try place.makeApplication()
    try place.makeExtension("Host.app/Extensions/Greeter.appex")
    let other = "<key>CFBundleIdentifier</key><string>org.example.Other</string>"
    try place.makeExtension(
      "Host.app/Greeter2.appex", info: Fixtures.plist(other + Fixtures.program + Fixtures.attributes))
    #expect(try read("Host.app").count == 3)
    let inner = try read("Host.app/Extensions/Greeter.appex")
    #expect(inner.map(\.container?.identifier) == ["org.example.host"])
    #expect(try read("Host.app/Greeter2.appex").first?.checks == [.wrongFolder])
    try place.write(
      Fixtures.plist("<key>org.other.Point</key><dict/>"), to: "Host.app/Extensions/q.appextensionpoint")
    #expect(try read("Host.app/Extensions/q.appextensionpoint").first?.checks == [.pointForeign])
  }

  @Test func `A link is a fault, but for one who copies what it names`() throws {
    try place.makeExtension("build/output")
    try place.link("Greeter.appex", to: "build/output")
    #expect(try read("Greeter.appex").first?.checks == [.symbolicLink])
    let record = try #require(try read("Greeter.appex", followingLink: true).first)
    #expect(record.isUsable && record.path == place.path("build/output"))
  }
}
