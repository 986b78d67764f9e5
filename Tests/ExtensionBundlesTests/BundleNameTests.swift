import ExtensionBundles
import ExtensionInterfaces
import LinuxSystem
import Testing

@Suite struct BundleNameTests {
  private static let display = "<key>CFBundleDisplayName</key><string>Greetings</string>"
  private static let region = "<key>CFBundleDevelopmentRegion</key><string>en</string>"

  private func make(_ root: borrowing TemporaryDirectory, _ keys: String) throws {
    try root.makeExtension(
      info: Fixtures.plist(Fixtures.identity + Fixtures.program + Fixtures.attributes + keys))
  }

  private func name(_ root: borrowing TemporaryDirectory, _ languages: [String]) throws -> String {
    let record = try #require(root.read().first)
    #expect(record.problems.isEmpty)
    return record.name.text(in: languages)
  }

  @Test(arguments: [
    (["de_AT.UTF-8", "en"], "Griaß di"), (["de_CH", "pt"], "Grüßer"), (["de"], "Grüßer"),
    (["fr", "pt-BR"], "Saudador"), (["pt"], "Greeter"), (["en", "de"], "Greeter"), (["en_GB"], "Greeter"),
    (["zh_Hans_CN"], "问候"), (["nl"], "Greeter"), ([], "Greeter"),
  ])
  func `It is in the first language that both know`(languages: [String], name: String) throws {
    let root = try TemporaryDirectory()
    try make(root, Fixtures.names + Self.region)
    try root.write("CFBundleDisplayName = \"Grüßer\";", to: "Greeter.appex/de.lproj/InfoPlist.strings")
    try root.write("CFBundleDisplayName = \"Griaß di\";", to: "Greeter.appex/de_AT.lproj/InfoPlist.strings")
    try root.write(
      Fixtures.plist("<key>CFBundleName</key><string>问候</string>"),
      to: "Greeter.appex/zh-Hans.lproj/InfoPlist.strings")
    try root.write(
      "CFBundleName = \"Saudador\";", to: "Greeter.appex/Resources/pt_BR.lproj/InfoPlist.strings")
    #expect(try self.name(root, languages) == name)
  }

  @Test func `Apple's layout has its names among its resources`() throws {
    let root = try TemporaryDirectory()
    try root.write(Fixtures.info, to: "Greeter.appex/Contents/Info.plist")
    try root.write("#!/bin/sh\n", to: "Greeter.appex/Contents/greeter", mode: 0o755)
    try root.write(
      "CFBundleName = \"Grüßer\";", to: "Greeter.appex/Contents/Resources/de.lproj/InfoPlist.strings")
    try root.write("CFBundleName = \"Nobody\";", to: "Greeter.appex/Contents/de.lproj/InfoPlist.strings")
    #expect(try name(root, ["de"]) == "Grüßer")
  }

  @Test(arguments: ["", Self.display])
  func `Where no language fits, the development region's name counts`(display: String) throws {
    let root = try TemporaryDirectory()
    try make(root, Fixtures.names + Self.region + display)
    try root.write("CFBundleDisplayName = \"Nice\";", to: "Greeter.appex/en.lproj/InfoPlist.strings")
    try root.write("CFBundleDisplayName = \"Nett\";", to: "Greeter.appex/de.lproj/InfoPlist.strings")
    #expect(try name(root, ["fr"]) == "Nice")
    #expect(try name(root, ["de"]) == "Nett")
  }

  @Test
  func `The display name comes before the name, that before the application's, and that before the file's`()
    throws
  {
    let root = try TemporaryDirectory()
    try make(root, Fixtures.names + Self.display)
    #expect(try name(root, ["de"]) == "Greetings")
    try make(root, Fixtures.names)
    #expect(try name(root, ["de"]) == "Greeter")
    try make(root, "<key>CFBundleName</key><string></string>")
    try root.rename("Greeter.appex", "A File.appex")
    #expect(root.read("A File.appex").first?.name.text(in: ["de"]) == "A File")
    try root.makeApplication()
    try root.write("CFBundleName = \"Der Wirt\";", to: "Host.app/de.lproj/InfoPlist.strings")
    try root.makeExtension(
      "Host.app/Extensions/Greeter.appex",
      info: Fixtures.plist(Fixtures.identity + Fixtures.program + Fixtures.attributes))
    let inner = try #require(root.read("Host.app").last)
    #expect(inner.name.text(in: ["de"]) == "Der Wirt" && inner.name.text(in: ["fr"]) == "The Host")
  }

  @Test func `A broken strings file of any language is a fault, and the name is still there`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    for broken in ["\"a\" = ", "CFBundleName = \"" + String(repeating: "a", count: 256) + "\";"] {
      try root.write(broken, to: "Greeter.appex/de.lproj/InfoPlist.strings")
      let record = try #require(root.read().first)
      #expect(record.checks == [.strings] && record.name.text == "Greeter")
    }
  }

  @Test func `Names have bounds`() throws {
    let root = try TemporaryDirectory()
    try make(root, "<key>CFBundleName</key><string>\(String(repeating: "a", count: 256))</string>")
    #expect(root.read().first?.checks == [.optionValue])
    try root.makeExtension()
    try root.write(
      [UInt8](repeating: 32, count: 64 << 10 | 1), to: "Greeter.appex/de.lproj/InfoPlist.strings")
    #expect(root.read().first?.checks == [.strings])
    root.remove("Greeter.appex/de.lproj")
    for index in 0...100 { try root.write("", to: "Greeter.appex/x-\(index).lproj/InfoPlist.strings") }
    #expect(root.read().first?.checks == [.strings])
    root.remove("Greeter.appex/x-0.lproj")
    #expect(root.read().first?.checks == [])
  }
}
