import ExtensionBundles
import ExtensionInterfaces
import LinuxSystem
import Testing

@Suite struct BundleScannerTests {
  @Test(arguments: [Array(Fixtures.info.utf8), BinaryFixtures.info])
  func `A whole extension is read`(info: [UInt8]) throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    try root.write(info, to: "Greeter.appex/Info.plist")
    try root.write(
      Fixtures.plist("<key>network-client</key><true/><key>gpu</key><false/><key>audio</key><true/>"),
      to: "Greeter.appex/Entitlements.plist")
    let record = try #require(root.read().first)
    #expect(record.isUsable, "\(record.problems)")
    #expect(record.kind == .appExtension)
    #expect(record.path == root.path("Greeter.appex") && record.root == root.path)
    #expect(
      record.identifier == "org.example.Greeter" && record.name.text == "Greeter" && record.version == "1.2")
    #expect(record.executable == "greeter" && record.extensionPoint == Fixtures.point)
    #expect(record.options.arguments == ["a", "b"] && record.options.startTimeout == .milliseconds(2500))
    #expect(record.entitlements == ["audio", "network-client"])
    #expect(throws: Never.self) { _ = try record.open() }
  }

  @Test(arguments: ["", "Contents/"])
  func `Info.json says the same as Info.plist`(base: String) throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    let expected = try #require(root.read().first)
    root.remove("Greeter.appex")
    try root.write(Fixtures.infoJSON, to: "Greeter.appex/\(base)Info.json")
    try root.write("#!/bin/sh\n", to: "Greeter.appex/\(base)greeter", mode: 0o755)
    var record = try #require(root.read().first)
    #expect(record.executable == base + "greeter")
    record.executable = expected.executable
    #expect(record == expected)
    try root.rename("Greeter.appex", "Greeter")
    #expect(root.read("Greeter").first?.checks == [.wrongSuffix], "it has the keys of an extension")
  }

  @Test func `The classic keys are read`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension(
      info: Fixtures.plist(
        Fixtures.identity + Fixtures.program
          + """
          <key>NSExtension</key><dict><key>NSExtensionPointIdentifier</key><string>a.b</string>
          <key>NSExtensionPrincipalClass</key><string>Main</string>
          <key>NSExtensionAttributes</key><dict><key>k</key><integer>1</integer></dict></dict>
          """))
    let record = try #require(root.read().first)
    #expect(record.isUsable && record.extensionPoint == "a.b" && record.principalClass == "Main")
    #expect(record.attributes == ["k": .integer(1)])
  }

  @Test(arguments: ["Contents/Linux/", "Contents/MacOS/", "Contents/"])
  func `Apple's layout is read`(place: String) throws {
    let root = try TemporaryDirectory()
    try root.write(Fixtures.info, to: "Greeter.appex/Contents/Info.plist")
    try root.write("#!/bin/sh\n", to: "Greeter.appex/\(place)greeter", mode: 0o755)
    let record = try #require(root.read().first)
    #expect(record.isUsable, "\(record.problems)")
    #expect(record.executable == place + "greeter")
  }

  @Test(arguments: ["", "Contents/"])
  func `An application is read with its points and extensions`(base: String) throws {
    let root = try TemporaryDirectory()
    try root.makeApplication(
      base: base,
      points: """
        <key>\(Fixtures.point)</key><dict><key>EXPresentsUserInterface</key><true/><key>Scope</key><string>none</string>
        <key>Version</key><string>1.2</string><key>Interface</key><string>g.varlink</string>
        <key>InstancePolicy</key><string>perScene</string></dict>
        """)
    try root.write("interface org.example.g\nmethod Go() -> ()\n", to: "Host.app/\(base)Extensions/g.varlink")
    let inner = "Host.app/\(base)Extensions/Greeter.appex"
    try root.makeExtension(
      inner, info: Fixtures.plist(Fixtures.identity + Fixtures.program + Fixtures.attributes))
    let records = root.read("Host.app")
    #expect(records.map(\.isUsable) == [true, true], "\(records.flatMap(\.problems))")
    let point = try #require(records.first?.points.first)
    #expect(point.identifier == Fixtures.point && point.userInterface && point.scope == .none)
    #expect(
      point.instancePolicy == .perScene && point.version == "1.2"
        && point.interface == root.path("Host.app/\(base)Extensions/g.varlink"))
    #expect(point.file == root.path("Host.app/\(base)Extensions/Host.appextensionpoint"))
    let record = try #require(records.last)
    #expect(record.path == root.path(inner))
    // It has no name of its own, so it has the application's.
    #expect(record.name.text == "The Host")
    #expect(
      record.container?.identifier == "org.example.host" && record.container?.path == root.path("Host.app"))
    #expect(throws: Never.self) { _ = try record.open() }
  }

  @Test(arguments: [
    ("<key>org.other.Greet</key><dict/>", BundleProblem.Check.pointForeign),
    ("<key>Greet</key><dict/>", .pointMalformed), ("<key>org.example.host.A</key><true/>", .keyType),
    ("", .pointFile), ("<key>org.example.host.A</key><dict><key>Scpe</key><true/></dict>", .optionUnknown),
    ("<key>org.example.host.A</key><dict><key>Scope</key><string>x</string></dict>", .optionValue),
    ("<key>org.example.host.A</key><dict><key>Interface</key><string>../x</string></dict>", .pointInterface),
    ("<key>org.example.host.A</key><dict><key>Interface</key><string>none</string></dict>", .pointInterface),
    (
      "<key>org.example.host.A</key><dict><key>Interface</key><string>Host.appextensionpoint</string></dict>",
      .pointInterface
    ),
    (
      "<key>org.example.host.A</key><dict><key>UserInterface</key><true/><key>InstancePolicy</key>"
        + "<string>shared</string></dict>", .pointValue
    ),
  ])
  func `A fault in a point is the application's`(points: String, check: BundleProblem.Check) throws {
    let root = try TemporaryDirectory()
    try root.makeApplication(points: points)
    let records = root.read("Host.app")
    #expect(records.map(\.checks) == [[check]], "\(records.flatMap(\.problems))")
  }

  @Test func `A bare point file defines points of anybody`() throws {
    let root = try TemporaryDirectory()
    try root.write(Fixtures.plist("<key>org.other.Greet</key><dict/>"), to: "Any.appextensionpoint")
    let record = try #require(root.read("Any.appextensionpoint").first)
    #expect(
      record.kind == .pointFile && record.isUsable && record.points.map(\.identifier) == ["org.other.Greet"])
    #expect(throws: Never.self) { _ = try record.open() }
  }

  @Test func `One identifier for two things of an application is nobody's`() throws {
    let root = try TemporaryDirectory()
    try root.makeApplication()
    try root.makeExtension("Host.app/Extensions/A.appex")
    try root.makeExtension("Host.app/Extensions/B.appex")
    let records = root.read("Host.app")
    #expect(records.map(\.checks) == [[], [.identifierDuplicate], [.identifierDuplicate]])
    let message = try #require(records.last?.problems.first?.message)
    #expect(message.contains("A.appex") && message.contains("B.appex"))
    try root.makeExtension(
      "Host.app/Extensions/B.appex", info: Fixtures.info.replacing(Fixtures.identity, with: Self.hostIdentity)
    )
    #expect(root.read("Host.app").map(\.checks) == [[.identifierDuplicate], [], [.identifierDuplicate]])
  }

  @Test func `Very many faults are told with a bound`() throws {
    let root = try TemporaryDirectory()
    try root.makeApplication()
    for number in 0..<20 { try root.makeExtension("Host.app/Extensions/\(number).appex") }
    let records = root.read("Host.app")
    #expect(records.count == 21)
    for record in records.dropFirst() {
      #expect(record.checks == [.identifierDuplicate])
      #expect((record.problems.first?.message ?? "").ranges(of: ".appex").count <= 3)
    }
    for number in 0..<200 {
      try root.makeDirectory("Host.app/Extensions/0.appex/\(number)")
      try root.writeUnreadableName(in: "Host.app/Extensions/0.appex/\(number)")
    }
    let many = root.read("Host.app")
    #expect(many.allSatisfy { !$0.isUsable && $0.problems.count < 110 })
  }

  private static let hostIdentity = "<key>CFBundleIdentifier</key><string>org.example.host</string>"

  @Test(arguments: [
    ("Greeter.appext", BundleProblem.Check.wrongSuffix), ("Greeter.plugin", .wrongSuffix),
    ("Greeter", .wrongSuffix),
    ("Host.app/Extensions/Greeter", .wrongSuffix), ("Host.app/PlugIns/Greeter.appex", .wrongFolder),
    ("Host.app/Contents/PlugIns/Greeter.appex", .wrongFolder), ("Host.app/Greeter.appex", .wrongFolder),
  ])
  func `A near miss is listed with its reason`(path: String, check: BundleProblem.Check) throws {
    let root = try TemporaryDirectory()
    if path.hasPrefix("Host") { try root.makeApplication() }
    try root.makeExtension(path)
    let records = Fixtures.scanner.scan(root: root.path).records
    let record = try #require(records.last)
    #expect(records.count == (path.hasPrefix("Host") ? 2 : 1))
    #expect(record.path == root.path(path) && record.isNearMiss && record.checks == [check])
    #expect(record.identifier == "org.example.Greeter")
  }

  @Test func `What is no bundle at all is passed over or named`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    try root.makeExtension(".Hidden.appex")
    try root.makeExtension("Copy.appex.part")
    try root.makeExtension("Copy.appex.tmp")
    try root.makeDirectory("Folder")
    try root.write("", to: "readme.txt")
    try root.write("", to: "File.appex")
    try root.makeExtension("Elsewhere/Linked.appex")
    try root.link("Linked.appex", to: "Elsewhere/Linked.appex")
    let records = Fixtures.scanner.scan(root: root.path).records
    #expect(records.map(\.name.text) == ["File", "Greeter", "Linked"])
    #expect(records.map(\.checks) == [[.notDirectory], [], [.symbolicLink]])
    #expect(records.map(\.isNearMiss) == [true, false, false])
  }

  @Test func `A name that is not UTF-8 is a fault`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    try root.writeUnreadableName(in: "Greeter.appex")
    #expect(root.read().map(\.checks) == [[.fileName]])
  }

  @Test func `A link to a name that is not UTF-8 is a fault`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    try root.linkToUnreadableName("Greeter.appex/link")
    #expect(root.read().map(\.checks) == [[.fileName]])
  }

  @Test func `The state of a root is told`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension("real/Greeter.appex")
    try root.link("linked", to: "real")
    try root.write("", to: "file")
    #expect(Fixtures.scanner.scan(root: root.path("none")).state == .absent)
    #expect(Fixtures.scanner.scan(root: root.path("file")).state == .failed(.notDirectory))
    let scan = Fixtures.scanner.scan(root: root.path("linked/"))
    #expect(scan.state == .present && scan.path == root.path("linked") && scan.reportsEvents)
    #expect(scan.records.map(\.isUsable) == [true])
    #expect(scan.records == Fixtures.scanner.read("Greeter.appex", inRoot: root.path("linked")))
    #expect(Fixtures.scanner.read("Gone.appex", inRoot: root.path("real")).isEmpty)
    #expect(Fixtures.scanner.read("../real", inRoot: root.path("real")).isEmpty)
    #expect(!FileSystemKind(magic: 0x6969, identifier: 0).reportsEvents)
  }

  @Test func `What stands below a directory that others can write is not root's`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    #expect(root.read().map(\.isRootOwned) == [false])
  }

  @Test(.enabled(if: effectiveUserID == 0))
  func `Only what root alone can change is root's`() throws {
    let root = try TemporaryDirectory(in: "/run")
    try root.makeApplication()
    try root.makeExtension("Host.app/Extensions/Greeter.appex")
    #expect(root.read("Host.app").map(\.isRootOwned) == [true, true])
    try root.setOwner("Host.app/Info.plist", 4242)
    #expect(root.read("Host.app").map(\.isRootOwned) == [false, true])
    try root.setOwner("Host.app/Info.plist", 0)
    try root.setMode("Host.app/Extensions", 0o775)
    #expect(root.read("Host.app").map(\.isRootOwned) == [false, false])
    try root.setMode("Host.app/Extensions", 0o755)
    try root.setMode("", 0o777)
    #expect(root.read("Host.app").map(\.isRootOwned) == [false, false])
  }
}
