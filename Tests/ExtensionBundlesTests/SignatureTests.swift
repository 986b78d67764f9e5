import ExtensionBundles
import LinuxSystem
import Testing

/// With keys that ssh-keygen makes, and signatures that it makes and verifies.
@Suite struct SignatureTests {
  private let root: TemporaryDirectory
  private static let file = "Greeter.appex/_Signature/statement.sig"

  init() throws {
    root = try TemporaryDirectory()
    try root.makeExtension()
  }

  /// The digest that a bundle has now.
  private func digest(_ path: String = "Greeter.appex") throws -> BundleDigest {
    let directory = try root.open(path)
    return try BundleHasher().fingerprint(of: directory.rawValue).digest
  }

  private func statement(_ path: String = "Greeter.appex") throws -> BundleStatement {
    let (record, digest) = (try record(path), try digest(path))
    return try #require(BundleStatement(of: record, digest: digest))
  }

  private func record(_ path: String = "Greeter.appex") throws -> BundleRecord {
    let top = String(path.prefix { $0 != "/" })
    return try #require(root.read(top).first { $0.path == root.path(path) })
  }

  /// Signs the bundle as it is, without extctl.
  private func sign(
    _ path: String = "Greeter.appex", with key: KeyMaker, namespace: String = BundleSignature.namespace
  ) throws {
    try root.write(
      key.sign(Array(statement(path).text.utf8), namespace: namespace), to: path + "/_Signature/statement.sig"
    )
  }

  /// What is found out about a bundle: reading and, where that found no fault, verifying.
  private func check(
    _ path: String = "Greeter.appex", _ verifier: SignatureVerifier = SignatureVerifier(),
    cache: (any SignatureCache)? = nil
  ) throws -> SignatureCheck {
    let record = try record(path)
    if let problem = record.problems.first { return .bad(problem) }
    return verifier.check(record, digest: try digest(path), cache: cache)
  }

  private func expectBad(_ words: String, _ at: SourceLocation = #_sourceLocation) throws {
    guard case .bad(let problem) = try check() else {
      Issue.record("it is not bad", sourceLocation: at)
      return
    }
    #expect(problem.check == .signature, sourceLocation: at)
    #expect(problem.message.contains(words), sourceLocation: at)
  }

  @Test(arguments: [
    ("ed25519", "ED25519"), ("rsa", "RSA"), ("ecdsa", "ECDSA"),
  ])
  func `A bundle is signed by the key that made its signature`(kind: String, label: String) throws {
    #expect(try check() == .unsigned)
    let key = try KeyMaker(kind)
    try sign(with: key)
    guard case .signed(let found) = try check() else {
      Issue.record("it is not signed")
      return
    }
    #expect(found.description == "\(try key.fingerprint) (\(label))")
  }

  @Test func `The statement says what the bundle is`() throws {
    try root.write(
      Fixtures.plist("<key>gpu</key><true/><key>audio</key><true/>"), to: "Greeter.appex/Entitlements.plist")
    #expect(
      try statement().text == """
        extensiond-bundle 1
        kind: appex
        identifier: org.example.Greeter
        build: 1.2
        point: \(Fixtures.point)
        entitlement: audio
        entitlement: gpu
        digest: \(digest())

        """)
    #expect(
      try digest()
        == {
          try sign(with: KeyMaker()); return try digest()
        }())
  }

  @Test func `A value cannot pretend to be another line`() throws {
    var record = try record()
    record.shortVersion = "1\npoint: x\\u{a}"
    let digest = try digest()
    let text = try #require(BundleStatement(of: record, digest: digest)).text
    #expect(text.contains("\nversion: 1\\u{a}point: x\\u{5c}u{a}\n"))
  }

  @Test(arguments: ["content", "mode", "added", "suffix"])
  func `After a change the signature is bad`(change: String) throws {
    try sign(with: KeyMaker())
    switch change {
    case "content": try root.write("#!/bin/sh\n#", to: "Greeter.appex/greeter", mode: 0o755)
    case "mode": try root.setMode("Greeter.appex/greeter", 0o700)
    case "added": try root.write("", to: "Greeter.appex/new")
    default:
      // The name of the directory is no part of the digest.
      try root.rename("Greeter.appex", "Greeter.app")
      guard case .bad = try check("Greeter.app") else {
        Issue.record("it is not bad")
        return
      }
      return
    }
    try expectBad("is not for this content")
  }

  @Test func `The signature of another bundle does not count`() throws {
    let key = try KeyMaker()
    try root.makeExtension(
      "Other.appex", info: Fixtures.info.replacing("org.example.Greeter", with: "org.example.Other"))
    try sign("Other.appex", with: key)
    try root.write(
      File.read(root.path("Other.appex/_Signature/statement.sig"), limit: 1 << 16), to: Self.file)
    try expectBad("is not for this content")
  }

  @Test func `A signature for another purpose does not count`() throws {
    try sign(with: KeyMaker(), namespace: "git")
    try expectBad("is made for “git”")
    // Also not one that only says that it is for this purpose.
    let key = try KeyMaker()
    try sign(with: key, namespace: "bundle@extensiond.iO")
    let text = try File.read(root.path(Self.file), limit: 1 << 16)
    // In base64 "iO" and "io" differ in one character.
    try root.write(
      String(decoding: text, as: UTF8.self).replacing("aU8AAAAA", with: "aW8AAAAA"), to: Self.file)
    try expectBad("is not for this content")
  }

  @Test func `Each byte of a signature counts`() throws {
    try sign(with: KeyMaker())
    let text = try File.read(root.path(Self.file), limit: 1 << 16)
    for index in stride(from: 3, to: text.count, by: 41) {
      var changed = text
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      try root.write(changed, to: Self.file)
      guard case .bad(let problem) = try check() else {
        Issue.record("byte \(index) does not count")
        continue
      }
      #expect(problem.check == .signature)
    }
  }

  @Test func `A signature that is cut off is none`() throws {
    try sign(with: KeyMaker())
    let text = try File.read(root.path(Self.file), limit: 1 << 16)
    for count in [0, 1, 30, 31, 100, text.count - 3, text.count - 31] {
      try root.write(Array(text.prefix(count)), to: Self.file)
      try expectBad("is no SSH signature")
    }
    try root.write(text + text, to: Self.file)
    try expectBad("is no SSH signature")
  }

  @Test func `Garbage is none, and a huge one is not read`() throws {
    let begin = "-----BEGIN SSH SIGNATURE-----\n"
    let end = "\n-----END SSH SIGNATURE-----\n"
    for text in [
      "x", begin + "x" + end, begin + "QUJD" + end, begin + "=====" + end, begin + "U1NIU0lH" + end,
      begin + "U1NIU0lHAAAAAf////8=" + end, begin + "U1NIU0lHAAAAAg==" + end,
    ] {
      try root.write(text, to: Self.file)
      try expectBad("SSH signature")
    }
    try root.write("", to: Self.file)
    try root.extend(Self.file, to: 500_000_000)
    try expectBad("is larger than 16 KiB")
  }

  @Test func `A certificate does not sign`() throws {
    let key = try KeyMaker()
    try key.certify()
    let text = try key.sign(
      Array(statement().text.utf8), namespace: BundleSignature.namespace, with: key.path + "-cert.pub")
    try root.write(text, to: Self.file)
    try expectBad("is made with a certificate; sign with the key itself")
  }

  @Test func `A short RSA key does not sign`() throws {
    try sign(with: KeyMaker("rsa", bits: 1024))
    try expectBad("RSA key of 1024 bits")
  }

  private static let contents: [(String, @Sendable (TemporaryDirectory) throws -> Void)] = [
    ("holds no signature", { _ in }),
    ("is no regular file", { try $0.link(file, to: "../greeter") }),
    ("is no regular file", { try $0.makeDirectory(file) }),
    ("is no regular file", { try $0.makeFifo(file) }),
    ("“_Signature/x” is not covered", { try $0.write("", to: "Greeter.appex/_Signature/x") }),
    ("“_Signature/x” is not covered", { try $0.link("Greeter.appex/_Signature/x", to: "../greeter") }),
    ("“_Signature/d” is not covered", { try $0.write("", to: "Greeter.appex/_Signature/d/e") }),
    (
      "_Signature is no directory",
      {
        $0.remove("Greeter.appex/_Signature")
        try $0.link("Greeter.appex/_Signature", to: "data")
      }
    ),
    (
      "_Signature is no directory",
      {
        $0.remove("Greeter.appex/_Signature")
        try $0.write("", to: "Greeter.appex/_Signature")
      }
    ),
  ]

  @Test(arguments: contents.indices)
  func `Only the signature may lie beside it`(index: Int) throws {
    try root.makeDirectory("Greeter.appex/_Signature")
    try Self.contents[index].1(root)
    let problems = try record().problems.filter { $0.check == .signature }
    #expect(problems.contains { $0.message.contains(Self.contents[index].0) })
  }

  @Test func `In Apple's layout it lies at the top, too`() throws {
    try root.makeDirectory("New.appex")
    try root.rename("Greeter.appex", "New.appex/Contents")
    try root.rename("New.appex", "Greeter.appex")
    try sign(with: KeyMaker())
    guard case .signed = try check() else {
      Issue.record("it is not signed")
      return
    }
  }

  @Test func `An application and what is inside are signed each by itself`() throws {
    try root.makeApplication()
    try root.makeExtension("Host.app/Extensions/Greeter.appex")
    let (inner, outer) = (try KeyMaker(), try KeyMaker())
    let path = "Host.app/Extensions/Greeter.appex"
    try sign(path, with: inner)
    try sign("Host.app", with: outer)
    let records = root.read("Host.app")
    #expect(records.flatMap(\.problems).isEmpty)
    let found = try records.map { record -> String? in
      let digest = try digest(String(record.path.dropFirst(root.path.count + 1)))
      guard case .signed(let key) = SignatureVerifier().check(record, digest: digest) else { return nil }
      return key.fingerprint
    }
    #expect(try found == [outer.fingerprint, inner.fingerprint])
    // What the application's signature covers.
    root.remove(path + "/_Signature")
    guard case .bad = try check("Host.app") else {
      Issue.record("it is not bad")
      return
    }
  }

  // MARK: Verifying

  /// Remembers, and counts.
  private final class Memory: SignatureCache {
    var known: [BundleDigest: Bool] = [:]
    func verdict(of key: BundleDigest) -> Bool? { known[key] }
    func keep(_ isGood: Bool, of key: BundleDigest) { known[key] = isGood }
  }

  /// A program in the place of ssh-keygen.
  private func verifier(
    _ script: String, name: String = "keygen", patience: Duration = .seconds(120)
  ) throws -> SignatureVerifier {
    try root.write("#!/bin/sh\n" + script, to: name, mode: 0o755)
    return SignatureVerifier(program: .init(path: root.path(name), patience: patience))
  }

  @Test func `What cannot be verified is neither signed nor bad, and not remembered`() throws {
    try sign(with: KeyMaker())
    let missing = SignatureVerifier(program: .init(path: root.path("none")))
    let memory = Memory()
    for (verifier, words) in [
      (missing, "install openssh-client"),
      (
        try verifier("echo No user exists for uid 4242; exit 255\n", name: "refusing"),
        "(No user exists for uid 4242)"
      ),
      (try verifier("exit 3\n", name: "failing"), "ended with status 3"),
      (try verifier("kill -9 $$\n", name: "killed"), "signal 9"),
      // No signature lets it print for ever.
      (try verifier("exec yes\n", patience: .milliseconds(300)), "did not end within 0.3 seconds"),
    ] {
      guard case .unverified(let why) = try check("Greeter.appex", verifier, cache: memory) else {
        Issue.record("it is verified, where \(words)")
        continue
      }
      #expect(why.contains(words))
    }
    #expect(memory.known.isEmpty)
    guard case .signed = try check("Greeter.appex", SignatureVerifier(), cache: memory) else {
      Issue.record("it is not signed")
      return
    }
    // Now it is known, and needs nobody.
    guard case .signed = try check("Greeter.appex", missing, cache: memory) else {
      Issue.record("it is forgotten")
      return
    }
    #expect(memory.known.count == 1)
  }

  @Test func `One that hangs is not asked for each bundle`() throws {
    try sign(with: KeyMaker())
    let hanging = try verifier("echo x >>$0.runs; exec sleep 1000\n", patience: .seconds(3))
    for _ in 0..<3 {
      guard case .unverified = try check("Greeter.appex", hanging) else {
        Issue.record("it is verified")
        return
      }
    }
    #expect(try File.read(root.path("keygen.runs"), limit: 100).count == 2)
  }

  @Test func `It leaves no descriptor and no process`() throws {
    try sign(with: KeyMaker())
    let verifier = try verifier("exec ssh-keygen \"$@\"\n")
    _ = try check("Greeter.appex", verifier)
    // Other tests of this process have theirs, so it is this many at least that would be left.
    let before = CurrentProcess.openDescriptors
    for _ in 0..<100 { _ = try check("Greeter.appex", verifier) }
    #expect(CurrentProcess.openDescriptors < before + 90)
  }

  @Test func `ssh-keygen gets what it needs, and nothing else`() throws {
    try sign(with: KeyMaker())
    let spying = try verifier(
      "ls -l /proc/self/fd >$0.fds; env >$0.env; exec ssh-keygen \"$@\"\n")
    guard case .signed = try check("Greeter.appex", spying) else {
      Issue.record("it is not signed")
      return
    }
    let environment = String(
      decoding: try File.read(root.path("keygen.env"), limit: 4096), as: UTF8.self)
    #expect(!environment.contains("HOME=") && environment.contains("LC_ALL=C\n"))
    let open = String(decoding: try File.read(root.path("keygen.fds"), limit: 4096), as: UTF8.self)
      .split(separator: "\n").compactMap { line in line.split(separator: " -> ").last.map(String.init) }
    let memory = open.filter { $0.hasPrefix("/memfd:") }
    #expect(memory.count == 3, "\(open)")
    // Standard output is the file here, standard error the pipe; ls has its directory open, the shell its script.
    #expect(open.count <= 9, "\(open)")
  }
}
