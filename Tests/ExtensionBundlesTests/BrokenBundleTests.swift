import ExtensionBundles
import LinuxSystem
import Testing

/// One way to break a bundle, and what must be said of it: all of that, and nothing else.
struct Breakage: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let expected: Set<BundleProblem.Check>
  let apply: @Sendable (TemporaryDirectory) throws -> Void

  init(
    _ name: String, _ expected: Set<BundleProblem.Check>,
    _ apply: @escaping @Sendable (TemporaryDirectory) throws -> Void
  ) {
    testDescription = name
    self.expected = expected
    self.apply = apply
  }

  /// With other keys in Info.plist.
  init(_ name: String, keys: [String], _ expected: Set<BundleProblem.Check>) {
    self.init(name, expected) {
      try $0.write(Fixtures.plist(keys.joined(separator: "\n")), to: "Greeter.appex/Info.plist")
    }
  }

  private static func text(_ key: String, _ value: String) -> String {
    "<key>\(key)</key><string>\(value)</string>"
  }
  private static let info = "Greeter.appex/Info.plist"
  private static let usual = [Fixtures.identity, Fixtures.program, Fixtures.attributes]
  private static func options(_ keys: String) -> [String] {
    usual + ["<key>Extensiond</key><dict>\(keys)</dict>"]
  }
  private static func program(_ name: String) -> [String] {
    [Fixtures.identity, Fixtures.attributes, text("CFBundleExecutable", name)]
  }

  static let infoPlist: [Breakage] = [
    Breakage("no Info.plist", [.infoMissing]) { $0.remove(info) },
    Breakage("an empty one", [.infoEmpty]) { try $0.write("", to: info) },
    Breakage("half of one", [.infoTruncated]) { try $0.write(String(Fixtures.info.prefix(300)), to: info) },
    Breakage("something else", [.infoMalformed]) { try $0.write("hello", to: info) },
    Breakage("an array", [.infoNotDictionary]) { try $0.write("<plist><array/></plist>", to: info) },
    Breakage("a huge one", [.infoTooLarge]) {
      try $0.write([UInt8](repeating: 32, count: 1 << 20 | 1), to: info)
    },
    Breakage("a directory", [.infoUnreadable]) {
      $0.remove(info)
      try $0.makeDirectory(info)
    },
    Breakage("a link out of the bundle", [.infoUnreadable, .symbolicLink]) {
      try $0.rename(info, "Outside.plist")
      try $0.link(info, to: "../Outside.plist")
    },
    Breakage("Info.json beside it", [.infoTwice]) { try $0.write("{}", to: "Greeter.appex/Info.json") },
    Breakage("half of an Info.json", [.infoMalformed]) {
      $0.remove(info)
      try $0.write(String(Fixtures.infoJSON.prefix(100)), to: "Greeter.appex/Info.json")
    },
    Breakage("null in Info.json", [.infoMalformed]) {
      $0.remove(info)
      try $0.write(#"{"CFBundleName": null}"#, to: "Greeter.appex/Info.json")
    },
    Breakage("an array in Info.json", [.infoNotDictionary]) {
      $0.remove(info)
      try $0.write("[]", to: "Greeter.appex/Info.json")
    },
    Breakage("no identifier", keys: [Fixtures.program, Fixtures.attributes], [.identifierMissing]),
    Breakage(
      "an identifier of one part",
      keys: [text("CFBundleIdentifier", "a"), Fixtures.program, Fixtures.attributes],
      [.identifierMalformed]),
    Breakage(
      "an identifier with a slash",
      keys: [text("CFBundleIdentifier", "a/../b.c"), Fixtures.program, Fixtures.attributes],
      [.identifierMalformed]),
    Breakage(
      "values of other types",
      keys: [
        "<key>CFBundleIdentifier</key><integer>1</integer><key>CFBundleExecutable</key><true/>",
        Fixtures.attributes,
        "<key>CFBundleVersion</key><real>1.0</real><key>Extensiond</key><array/>",
      ], [.keyType]),
    Breakage("no extension keys", keys: [Fixtures.identity, Fixtures.program], [.noExtensionKeys]),
    Breakage(
      "no point", keys: [Fixtures.identity, Fixtures.program, "<key>NSExtension</key><dict/>"],
      [.pointMissing]),
    Breakage(
      "two points",
      keys: usual + ["<key>NSExtension</key><dict>\(text("NSExtensionPointIdentifier", "a.b"))</dict>"],
      [.pointConflict]),
    Breakage(
      "a malformed point",
      keys: [
        Fixtures.identity, Fixtures.program,
        "<key>NSExtension</key><dict>\(text("NSExtensionPointIdentifier", "a"))</dict>",
      ], [.pointMalformed]),
    Breakage("an unknown option", keys: options("<key>Runtme</key><true/>"), [.optionUnknown]),
    Breakage("an unknown runtime", keys: options(text("Runtime", "dbus")), [.optionValue]),
    Breakage("a version of the point in words", keys: options(text("PointVersion", "new")), [.optionValue]),
    Breakage(
      "versions without end",
      keys: usual + [
        text("CFBundleShortVersionString", String(repeating: "1", count: 65)),
        "<key>Extensiond</key><dict>\(text("PointVersion", String(repeating: "1", count: 65)))</dict>",
      ], [.optionValue]),
    Breakage(
      "attributes without end",
      keys: [
        Fixtures.identity, Fixtures.program,
        "<key>NSExtension</key><dict>\(text("NSExtensionPointIdentifier", "a.b"))",
        "<key>NSExtensionAttributes</key><dict><key>Rule</key><array>",
        "<string>\(String(repeating: "a", count: 4097))</string></array></dict></dict>",
      ], [.optionValue]),
    Breakage("a timeout of 0", keys: options("<key>StartTimeout</key><integer>0</integer>"), [.optionValue]),
    Breakage(
      "arguments that are no strings", keys: options("<key>Arguments</key><array><true/></array>"), [.keyType]
    ),
    Breakage(
      "everything at once",
      [.identifierMalformed, .executablePath, .pointMissing, .optionUnknown, .symbolicLink]
    ) {
      try $0.write(
        Fixtures.plist(
          text("CFBundleIdentifier", "x") + text("CFBundleExecutable", "/bin/sh")
            + "<key>NSExtension</key><dict/><key>Extensiond</key><dict><key>X</key><true/></dict>"), to: info)
      try $0.link("Greeter.appex/link", to: "/etc")
    },
  ]

  static let files: [Breakage] = [
    Breakage("no key for the program", keys: [Fixtures.identity, Fixtures.attributes], [.executableMissing]),
    Breakage("an absolute program", keys: program("/bin/sh"), [.executablePath]),
    Breakage("a program above", keys: program("../outside"), [.executablePath]),
    Breakage("a program with NUL in its name", [.executableMissing]) {
      // Only JSON can say it.
      $0.remove(info)
      let text = Fixtures.infoJSON.replacing("\"greeter\"", with: #""greeter\u0000x""#)
      try $0.write(text, to: "Greeter.appex/Info.json")
    },
    Breakage("no program", [.executableMissing]) { $0.remove("Greeter.appex/greeter") },
    Breakage("a program by a link out", [.executablePath, .symbolicLink]) {
      $0.remove("Greeter.appex/greeter")
      try $0.link("Greeter.appex/greeter", to: "/bin/sh")
    },
    Breakage("a directory as program", [.executableNotFile]) {
      $0.remove("Greeter.appex/greeter")
      try $0.makeDirectory("Greeter.appex/greeter")
    },
    Breakage("a program that may not be executed", [.executableMode]) {
      try $0.setMode("Greeter.appex/greeter", 0o644)
    },
    Breakage("a program of no format", [.executableFormat]) {
      try $0.write("hello", to: "Greeter.appex/greeter", mode: 0o755)
    },
    Breakage("a program that no digest covers", [.executablePath, .signature]) {
      try $0.rename("Greeter.appex/greeter", "greeter")
      try $0.makeDirectory("Greeter.appex/_Signature")
      try $0.rename("greeter", "Greeter.appex/_Signature/greeter")
      try $0.link("Greeter.appex/greeter", to: "_Signature/greeter")
    },
    Breakage("a link up and out", [.symbolicLink]) { try $0.link("Greeter.appex/link", to: "../..") },
    Breakage("a link that looks as if it stayed inside", [.symbolicLink]) {
      try $0.makeDirectory("Greeter.appex/a")
      try $0.link("Greeter.appex/a/up", to: "..")
      try $0.link("Greeter.appex/link", to: "a/up/../x")
    },
    Breakage("a link to itself", [.symbolicLink]) { try $0.link("Greeter.appex/link", to: "link") },
    Breakage("a file that others can write", [.writableByOthers]) {
      try $0.write("", to: "Greeter.appex/x", mode: 0o666)
    },
    Breakage("a directory that the group can write", [.writableByOthers]) {
      try $0.setMode("Greeter.appex", 0o775)
    },
    Breakage("a fifo", [.specialFile]) { try $0.makeFifo("Greeter.appex/fifo") },
    Breakage("a depth of 40", [.tooDeep]) {
      try $0.makeDirectory("Greeter.appex/" + Array(repeating: "d", count: 40).joined(separator: "/"))
    },
    Breakage("more than a GiB", [.tooLarge]) {
      try $0.write("", to: "Greeter.appex/big")
      try $0.extend("Greeter.appex/big", to: 1 << 30)
    },
    Breakage("more than 10,000 files", [.tooManyFiles]) {
      for index in 0...10_000 { try File.makeDirectory($0.path("Greeter.appex/\(index)"), mode: 0o755) }
    },
    Breakage("malformed entitlements", [.entitlements]) {
      try $0.write("<plist><array/></plist>", to: "Greeter.appex/Entitlements.plist")
    },
    Breakage("an entitlement of no meaning", [.entitlements]) {
      try $0.write(Fixtures.plist("<key>a</key><integer>1</integer>"), to: "Greeter.appex/Entitlements.plist")
    },
  ]
}

@Suite struct BrokenBundleTests {
  @Test(arguments: Breakage.infoPlist + Breakage.files)
  func `Each fault is found, and no other is claimed`(breakage: Breakage) throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    #expect(root.read().map(\.checks) == [[]])
    try breakage.apply(root)
    let records = root.read()
    #expect(records.map(\.checks) == [breakage.expected], "\(records.flatMap(\.problems))")
    #expect(records.first?.isUsable == false)
    #expect(records.flatMap(\.problems).allSatisfy { $0.message.count > 20 })
  }

  @Test func `Files of another person are a fault`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    var scanner = Fixtures.scanner
    if effectiveUserID == 0 {
      try root.setOwner("Greeter.appex/greeter", 4242)
    } else {
      scanner.userID = 4242
    }
    #expect(root.read("Greeter.appex", scanner).map(\.checks) == [[.foreignOwner]])
    scanner.userID = try FileStatus(at: root.path("Greeter.appex/greeter")).userID
    #expect(root.read("Greeter.appex", scanner).map(\.checks) == [[]])
  }

  @Test func `A program for another machine is incompatible, not broken`() throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    var scanner = Fixtures.scanner
    scanner.machine = .x86_64
    try root.write(Fixtures.elf(.aarch64), to: "Greeter.appex/greeter", mode: 0o755)
    var record = try #require(root.read("Greeter.appex", scanner).first)
    #expect(record.incompatible == "built for aarch64, this machine is x86_64")
    #expect(record.problems.isEmpty && !record.isUsable)
    try root.write(Fixtures.elf(.x86_64), to: "Greeter.appex/greeter", mode: 0o755)
    record = try #require(root.read("Greeter.appex", scanner).first)
    #expect(record.isUsable)
  }

  @Test(arguments: [("1.9", true), ("1.10", true), ("1.10.1", false), ("2", false)])
  func `A later version that is needed is incompatible`(minimum: String, fits: Bool) throws {
    let root = try TemporaryDirectory()
    let option = "<key>Extensiond</key><dict><key>MinimumVersion</key><string>\(minimum)</string></dict>"
    try root.makeExtension(
      info: Fixtures.plist(Fixtures.identity + Fixtures.program + Fixtures.attributes + option))
    let record = try #require(root.read("Greeter.appex", BundleScanner(systemVersion: "1.10")).first)
    #expect(record.problems.isEmpty)
    #expect(record.isUsable == fits)
    if !fits { #expect(record.incompatible == "needs version \(minimum), this is 1.10") }
  }

  @Test(arguments: [Array(Fixtures.info.utf8), BinaryFixtures.info])
  func `A bundle with any part of its Info.plist is listed with its fault`(whole: [UInt8]) throws {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    for count in stride(from: 0, to: whole.count - 1, by: 7) {
      try root.write(Array(whole[..<count]), to: "Greeter.appex/Info.plist")
      let records = root.read()
      #expect(records.count == 1)
      #expect(!records.flatMap(\.checks).isEmpty, "\(count) bytes")
    }
  }
}
