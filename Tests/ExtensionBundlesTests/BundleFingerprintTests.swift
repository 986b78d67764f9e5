import CLinux
import ExtensionBundles
import LinuxSystem
import Testing

@Suite struct BundleFingerprintTests {
  private let root: TemporaryDirectory

  init() throws {
    root = try TemporaryDirectory()
    try root.makeExtension()
    try root.write([UInt8](repeating: 7, count: 300_000), to: "Greeter.appex/data/big")
    try root.link("Greeter.appex/link", to: "greeter")
    letTheClockMove()
  }

  private func fingerprint(_ path: String = "Greeter.appex") throws -> BundleFingerprint {
    let directory = try root.open(path)
    return try BundleHasher().fingerprint(of: directory.rawValue)
  }

  private func isCurrent(
    _ fingerprint: BundleFingerprint, _ path: String = "Greeter.appex", probing: Bool = false
  ) throws -> Bool {
    let directory = try root.open(path)
    return fingerprint.isCurrent(bundle: directory.rawValue, probingWriters: probing)
  }

  private static let changes: [(String, @Sendable (TemporaryDirectory) throws -> Void)] = [
    ("content", { try $0.write("#!/bin/zz\n", to: "Greeter.appex/greeter", mode: 0o755) }),
    ("mode", { try $0.setMode("Greeter.appex/greeter", 0o700) }),
    ("mode of the bundle", { try $0.setMode("Greeter.appex", 0o700) }),
    ("added file", { try $0.write("", to: "Greeter.appex/new") }),
    ("added directory", { try $0.makeDirectory("Greeter.appex/new") }),
    ("removed file", { $0.remove("Greeter.appex/data/big") }),
    ("renamed file", { try $0.rename("Greeter.appex/data/big", "Greeter.appex/data/bug") }),
    (
      "other target",
      {
        $0.remove("Greeter.appex/link")
        try $0.link("Greeter.appex/link", to: "greetee")
      }
    ),
    (
      "file in place of a link",
      {
        $0.remove("Greeter.appex/link")
        try $0.write("greeter", to: "Greeter.appex/link")
      }
    ),
    ("signature below the top", { try $0.write("x", to: "Greeter.appex/data/_Signature/x") }),
    ("signature that is a file", { try $0.write("x", to: "Greeter.appex/_Signature") }),
  ]

  @Test(arguments: changes.indices)
  func `Each change gives another digest, and is seen without hashing`(index: Int) throws {
    let before = try fingerprint()
    #expect(try isCurrent(before))
    #expect(try fingerprint().digest == before.digest)
    let (name, apply) = Self.changes[index]
    try apply(root)
    #expect(try !isCurrent(before), "\(name)")
    let after = try fingerprint()
    #expect(after.digest != before.digest, "\(name)")
    #expect(!after.changes(since: before).isEmpty, "\(name)")
  }

  private func find(_ name: String, _ hasher: BundleHasher) throws -> [BundleScanner.Found] {
    Fixtures.scanner.read(name, inRoot: try BundleScanner.Root(root.path), hasher: hasher)
  }

  @Test(arguments: ["Greeter.appex", "Host.app"])
  func `What is read while a bundle is looked at gives the digest of the whole`(name: String) throws {
    try root.makeApplication()
    try root.makeExtension("Host.app/Extensions/Inner.appex")
    try root.write("x", to: "Host.app/Extensions/Inner.appex/_Signature/x")
    try root.write("x", to: "\(name)/_Signature/x")
    letTheClockMove()
    let hasher = BundleHasher()
    let all = try find(name, hasher)
    #expect(all.count == (name == "Host.app" ? 2 : 1))
    for found in all {
      let tree = try #require(found.tree)
      let directory = try found.record.open()
      let (ours, whole) = (
        try hasher.fingerprint(of: tree), try BundleHasher().fingerprint(of: directory.rawValue)
      )
      #expect(ours.digest == whole.digest && ours.records == whole.records)
      #expect(ours.isCurrent(bundle: directory.rawValue, probingWriters: true))
    }
  }

  @Test func `What changes between the look and the digest is noticed`() throws {
    let before = try fingerprint()
    let hasher = BundleHasher()
    let look = try #require(try find("Greeter.appex", hasher).first?.tree)
    try root.write("#!/bin/zz\n", to: "Greeter.appex/greeter", mode: 0o755)
    // It was read whole with the look, so that this is what the digest tells of.
    let ours = try hasher.fingerprint(of: look)
    #expect(ours.digest == before.digest)
    #expect(try !isCurrent(ours))
    let next = try #require(try find("Greeter.appex", hasher).first?.tree)
    try root.write("other", to: "Greeter.appex/data/big")
    #expect(throws: BundleHasher.Failure.busy("data/big")) { try hasher.fingerprint(of: next) }
  }

  @Test func `The difference is named`() throws {
    let before = try fingerprint()
    try root.write("new", to: "Greeter.appex/greeter", mode: 0o755)
    try root.rename("Greeter.appex/link", "Greeter.appex/other")
    let changes = try fingerprint().changes(since: before)
    #expect(changes.map { "\($0.kind) \($0.path)" } == ["changed greeter", "removed link", "added other"])
  }

  @Test func `A copy has the same digest`() throws {
    let before = try fingerprint()
    try root.makeExtension("Copy.appex")
    try root.write([UInt8](repeating: 7, count: 300_000), to: "Copy.appex/data/big")
    try root.link("Copy.appex/link", to: "greeter")
    let copy = try fingerprint("Copy.appex")
    #expect(copy.digest == before.digest && copy.changes(since: before).isEmpty)
    #expect(try !isCurrent(before, "Copy.appex"))
  }

  @Test func `The signature at the top does not count`() throws {
    let before = try fingerprint()
    try root.write("x", to: "Greeter.appex/_Signature/x")
    #expect(try fingerprint().digest == before.digest)
  }

  @Test func `An application's digest covers the extensions inside`() throws {
    try root.makeApplication()
    try root.makeExtension("Host.app/Extensions/Greeter.appex")
    let before = try fingerprint("Host.app")
    try root.write("#!/bin/zz\n", to: "Host.app/Extensions/Greeter.appex/greeter", mode: 0o755)
    #expect(try fingerprint("Host.app").digest != before.digest)
  }

  @Test func `The digest is the documented one`() throws {
    // Computed by hand: a directory of mode 755, and in it the file "a" of mode 644 that holds "hi".
    try root.write("hi", to: "Small.appex/a")
    let digest = try fingerprint("Small.appex").digest
    #expect(digest.description == "sha256:d48897cc73bd226f9f33859b72292eecafa3506a6bf49f028a1ffc0d8c49b862")
    #expect(BundleDigest(digest.description) == digest)
    #expect(BundleDigest(String(digest.description.dropLast())) == nil)
  }

  @Test func `What was written just now is not trusted`() throws {
    try root.write("#!/bin/sh\n#", to: "Greeter.appex/greeter", mode: 0o755)
    let racy = try fingerprint()
    #expect(try !isCurrent(racy))
    letTheClockMove()
    #expect(try isCurrent(fingerprint()))
  }

  @Test func `The same times on another kind of file system mean nothing`() throws {
    let network = FileSystemKind(magic: 0x6969, identifier: 1)
    #expect(!network.keepsChangeTimes)
    #expect(FileSystemKind(magic: 0xEF53, identifier: 1).keepsChangeTimes)
  }

  @Test func `A mapping that could write unseen is found`() throws {
    let path = root.path("Greeter.appex/data/big")
    let before = try fingerprint()
    #expect(try isCurrent(before, probing: true))
    do {
      let file = try File.open(path, .readWrite)
      let map = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
      let page = try unsafe #require(map)
      defer { unsafe _ = munmap(page, 4096) }
      // Its times are as they were, and the file itself may be closed by now.
      #expect(try isCurrent(before))
      #expect(try !isCurrent(before, probing: true))
      #expect(throws: BundleHasher.Failure.busy("data/big")) { try fingerprint() }
    }
    #expect(try isCurrent(before, probing: true))
  }

  @Test func `What no digest can cover has none`() throws {
    try root.makeFifo("Greeter.appex/fifo")
    #expect(throws: BundleHasher.Failure.self) { try fingerprint() }
  }

  @Test func `The compact form reads back, and nothing else does`() throws {
    let fingerprint = try fingerprint()
    let bytes = fingerprint.encoded()
    #expect(BundleFingerprint(decoding: bytes) == fingerprint)
    for count in bytes.indices { #expect(BundleFingerprint(decoding: Array(bytes[..<count])) == nil) }
    #expect(BundleFingerprint(decoding: bytes + [0]) == nil)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0xFF
      _ = BundleFingerprint(decoding: changed)
    }
  }
}
