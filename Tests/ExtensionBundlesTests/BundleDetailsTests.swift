import ExtensionBundles
import ExtensionInterfaces
import LinuxSystem
import Testing

@Suite struct BundleDetailsTests {
  private static let path = "Greeter.appex/org.example.Greeter.metainfo.xml"

  private static func component(_ inner: String, id: String = "org.example.Greeter") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- Who reads this? -->
    <component type="addon">
      <id>\(id)</id>
      <metadata_license>CC0-1.0</metadata_license>
      \(inner)
      <description><p>Long, with <em>marks</em>.</p></description>
    </component>
    """
  }

  private static let whole = component(
    """
    <summary>Greets
      everybody &amp; more</summary><summary xml:lang="pt_BR">Saúda</summary>
    <developer id="org.example"><name>The People</name><name xml:lang="de">Die Leute</name></developer>
    <project_license>GPL-3.0-or-later</project_license>
    <url type="bugtracker">https://example.org/bugs</url><url type="homepage">https://example.org/</url>
    <icon type="remote">https://example.org/icon.png</icon><icon type="stock">greeter</icon>
    """)

  private func make(_ root: TemporaryDirectory, _ keys: String = "", options: String = "") throws {
    try root.makeExtension(
      info: Fixtures.plist(
        Fixtures.identity + Fixtures.program + Fixtures.attributes + keys
          + "<key>Extensiond</key><dict>\(options)</dict>"))
  }

  private static func text(_ key: String, _ value: String) -> String {
    "<key>\(key)</key><string>\(value)</string>"
  }

  private func details(_ root: TemporaryDirectory, _ entry: String = "Greeter.appex") throws -> BundleDetails
  {
    let record = try #require(root.read(entry).last)
    #expect(record.problems.isEmpty)
    return record.details
  }

  @Test(arguments: ["icon.png", "Resources/icon.svg", "Resources/icon"])
  func `Info.plist says them`(icon: String) throws {
    let root = try TemporaryDirectory()
    try make(
      root,
      Self.text("CFBundleIconFile", icon.hasSuffix(".png") ? "icon.png" : "icon")
        + Self.text("NSHumanReadableCopyright", "© 2026\n Me"),
      options: Self.text("Description", " Greets\n you ") + Self.text("Developer", "Me")
        + Self.text("License", "MIT") + Self.text("HomePage", "https://example.org/a?b"))
    try root.write("", to: "Greeter.appex/" + icon)
    let details = try details(root)
    #expect(details.description == LocalizedText("Greets you") && details.developer == LocalizedText("Me"))
    #expect(details.license == "MIT" && details.homePage == "https://example.org/a?b")
    #expect(details.copyright == "© 2026 Me")
    #expect(details.icon == root.path("Greeter.appex/" + icon))
  }

  @Test(arguments: ["", "Resources/", "share/metainfo/"])
  func `The AppStream component says what Info.plist does not`(folder: String) throws {
    let root = try TemporaryDirectory()
    try make(root, options: Self.text("License", "MIT"))
    try root.write(Self.whole, to: "Greeter.appex/\(folder)org.example.Greeter.metainfo.xml")
    let details = try details(root)
    #expect(details.description?.text == "Greets everybody & more")
    #expect(details.description?.text(in: ["pt-BR"]) == "Saúda")
    #expect(details.developer?.text(in: ["de_CH"]) == "Die Leute" && details.developer?.text == "The People")
    #expect(
      details.license == "MIT" && details.homePage == "https://example.org/" && details.icon == "greeter")
    try root.write(
      Self.component("<developer_name>As it was</developer_name>"),
      to: "Greeter.appex/\(folder)org.example.Greeter.metainfo.xml")
    #expect(try self.details(root).developer?.text == "As it was")
  }

  @Test func `An extension has from its application what it does not say, but for the description`() throws {
    let root = try TemporaryDirectory()
    try root.makeApplication()
    let component = Self.whole.replacing("org.example.Greeter", with: "org.example.host")
    try root.write(component, to: "Host.app/org.example.host.metainfo.xml")
    try root.makeExtension("Host.app/Extensions/Greeter.appex")
    let details = try details(root, "Host.app")
    #expect(
      details.developer?.text == "The People" && details.icon == "greeter" && details.description == nil)
  }

  @Test(arguments: [
    ("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY a \"b\">]><component>&a;</component>", "document type"),
    ("<!DOCTYPE component SYSTEM \"file:///etc/passwd\"><component/>", "document type"),
    ("<component><id>org.example.Greeter</id>", "line 1"), ("<component/>", "about nothing"),
    ("<other><id>org.example.Greeter</id></other>", "not component"), ("", "no element"),
    (String(repeating: "<a>", count: 40), "deeper than 32"),
    (component("", id: "org.example.Other"), "Other"),
    (component("<url type='homepage'>javascript:alert(1)</url>"), "HomePage"),
    (
      component("<summary xml:lang='de'>\(String(repeating: "a", count: 513))</summary><summary>a</summary>"),
      "512"
    ),
    (String(repeating: " ", count: 256 << 10 | 1), "256 KiB"),
  ])
  func `A component that is broken, or another one's, is a fault`(text: String, said: String) throws {
    let root = try TemporaryDirectory()
    try make(root)
    try root.write(text, to: Self.path)
    let record = try #require(root.read().first)
    #expect(record.checks == [.metainfo])
    #expect(record.problems.allSatisfy { $0.message.contains(said) }, "\(record.problems)")
  }

  @Test(arguments: [
    (text("CFBundleIconFile", "none"), "", BundleProblem.Check.icon),
    (text("CFBundleIconFile", "../outside.png"), "", .icon),
    (text("CFBundleIconFile", "/etc/passwd"), "", .icon),
    (text("CFBundleIconFile", "_Signature/icon.png"), "", .icon),
    (text("CFBundleIconFile", "linked.png"), "", .icon),
    ("<key>CFBundleIconFile</key><true/>", "", .keyType),
    ("", text("HomePage", "example.org"), .optionValue), ("", text("HomePage", "https://a b"), .optionValue),
    ("", text("Description", String(repeating: "a", count: 513)), .optionValue),
    ("", "<key>Developer</key><array/>", .keyType),
    (text("NSHumanReadableCopyright", String(repeating: "a", count: 513)), "", .optionValue),
  ])
  func `A value that cannot be shown is a fault`(
    keys: String, options: String, check: BundleProblem.Check
  ) throws {
    let root = try TemporaryDirectory()
    try make(root, keys, options: options)
    try root.write("", to: "outside.png")
    try root.makeDirectory("Greeter.appex/_Signature")
    try root.write("", to: "Greeter.appex/_Signature/icon.png")
    try root.link("Greeter.appex/linked.png", to: "_Signature/icon.png")
    // What lies beside the signature is one more fault.
    #expect(root.read().first?.checks == [check, .signature])
  }

  @Test func `A fault is one line that ends, whatever the bundle holds`() throws {
    let root = try TemporaryDirectory()
    try make(root, Self.text("CFBundleIconFile", "a\nb: fine" + String(repeating: "c", count: 100_000)))
    let problem = try #require(root.read().first?.problems.first)
    #expect(problem.check == .icon && problem.message.hasSuffix("add it"))
    #expect(problem.message.contains("a\\u{a}b: fine") && problem.message.utf8.count < 1000)
  }

  @Test func `Any part of a component is read or refused`() throws {
    let root = try TemporaryDirectory()
    try make(root)
    let bytes = Array(Self.whole.utf8)
    for count in stride(from: 0, to: bytes.count, by: 7) {
      try root.write(Array(bytes[..<count]), to: Self.path)
      #expect(root.read().first?.checks == [.metainfo])
    }
  }
}
