import ExtensionBundles
import Testing

/// What an application says to this system alone.
@Suite struct HostOptionsTests {
  private func read(_ options: String) throws -> BundleRecord {
    let root = try TemporaryDirectory()
    try root.makeApplication()
    try root.write(
      Fixtures.plist(
        "<key>CFBundleIdentifier</key><string>org.example.host</string><key>Extensiond</key>" + options),
      to: "Host.app/Info.plist")
    return try #require(root.read("Host.app").first)
  }

  private func programs(_ paths: String...) -> String {
    let strings = paths.map { "<string>\($0)</string>" }.joined()
    return "<dict><key>Programs</key><array>\(strings)</array></dict>"
  }

  @Test func `Programs elsewhere are read, and need not be there yet`() throws {
    let record = try read(programs("/usr/bin/editor", "/opt/editor 2/bin/editor"))
    #expect(record.isUsable, "\(record.problems)")
    #expect(record.programs == ["/usr/bin/editor", "/opt/editor 2/bin/editor"])
  }

  @Test(arguments: [
    "", "/", "editor", "bin/editor", "/usr/bin/", "/usr//bin/editor", "/usr/./bin/editor",
    "/usr/../bin/editor",
    "//usr/bin/editor",
  ])
  func `A path that the kernel never shows is a fault`(path: String) throws {
    let record = try read(programs("/usr/bin/editor", path))
    #expect(record.checks == [.optionValue] && record.programs == ["/usr/bin/editor"])
    #expect(record.problems.first?.message.contains("“\(path)”") == true)
  }

  @Test(arguments: [
    ("<array/>", BundleProblem.Check.keyType),
    ("<dict><key>Programs</key><string>/usr/bin/editor</string></dict>", .keyType),
    ("<dict><key>Programs</key><array><true/></array></dict>", .keyType),
    ("<dict><key>Program</key><array/></dict>", .optionUnknown),
  ])
  func `What is no list of paths is a fault`(options: String, check: BundleProblem.Check) throws {
    #expect(try read(options).checks == [check])
  }

  @Test func `Too many are a fault, and an extension has none`() throws {
    let many = (0...16).map { "<string>/usr/bin/\($0)</string>" }.joined()
    #expect(try read("<dict><key>Programs</key><array>\(many)</array></dict>").checks == [.optionValue])
    let root = try TemporaryDirectory()
    try root.makeExtension(
      info: Fixtures.plist(
        Fixtures.identity + Fixtures.program + Fixtures.attributes + "<key>Extensiond</key>"
          + programs("/usr/bin/editor")))
    #expect(root.read().first?.checks == [.optionUnknown])
  }
}
