import ExtensionBundles
import Testing

@Suite struct LimitOptionsTests {
  private func limits(_ keys: String) throws -> LimitOptions {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    try root.write(
      Fixtures.plist(
        Fixtures.identity + Fixtures.program + Fixtures.attributes
          + "<key>Extensiond</key><dict><key>Limits</key><dict>\(keys)</dict></dict>"),
      to: "Greeter.appex/Info.plist")
    let record = try #require(root.read("Greeter.appex").first)
    #expect(record.problems.isEmpty, "\(record.problems)")
    return record.options.limits
  }

  @Test(arguments: [
    ("<integer>67108864</integer>", 64 << 20), ("<string>67108864</string>", 64 << 20),
    ("<string>65536K</string>", 64 << 20), ("<string>64M</string>", 64 << 20),
    ("<string>2G</string>", 2 << 30), ("<string>1T</string>", 1 << 40), ("<string>16M</string>", 16 << 20),
  ])
  func `Bytes are a number, or a text with a unit`(value: String, bytes: Int) throws {
    #expect(try limits("<key>Memory</key>" + value).memory == bytes)
  }

  @Test func `What is not said stays open`() throws {
    let limits = try limits("<key>Processes</key><integer>12</integer>")
    #expect(limits.processes == 12)
    #expect(
      limits.memory == nil && limits.cpuWeight == nil && limits.openFiles == nil && limits.fileSize == nil)
  }
}
