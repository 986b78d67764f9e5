import ExtensionBundles
import ExtensionInterfaces
import LinuxSystem
import Testing

/// One Entitlements.plist, and what it asks for.
struct Asking: Sendable, CustomTestStringConvertible {
  let keys: String
  let lines: [String]

  init(_ keys: String, _ lines: [String]) {
    self.keys = keys
    self.lines = lines
  }

  var testDescription: String { keys }

  static func key(_ name: String, _ value: String) -> String { "<key>\(name)</key>\(value)" }
  static func list(_ name: String, _ values: [String]) -> String {
    key(name, "<array>" + values.map { "<string>\($0)</string>" }.joined() + "</array>")
  }
  static let apple = "com.apple.security."

  static let good: [Asking] = [
    Asking("", []),
    Asking(key("network-client", "<true/>"), ["network-client"]),
    Asking(key("network-client", "<false/>") + key("gpu", "<true/>"), ["gpu"]),
    Asking(
      ["wayland", "network-server", "home", "files-user-selected", "nested-sandbox", "none", "audio"].map {
        key($0, "<true/>")
      }.joined(),
      ["audio", "files-user-selected", "home", "nested-sandbox", "network-server", "none", "wayland"]),
    Asking(
      list("app-groups", ["group.b", "group.a", "group.b"]), ["app-groups=group.a", "app-groups=group.b"]),
    Asking(key("app-groups", "<array/>") + key("session-bus", "<false/>"), []),
    Asking(
      list(
        "session-bus", ["org.freedesktop.Notifications", "org.example.Player.*", "org.example.Play_er-2"]),
      [
        "session-bus=org.example.Play_er-2", "session-bus=org.example.Player.*",
        "session-bus=org.freedesktop.Notifications",
      ]),
    // Apple's names.
    Asking(
      key(apple + "network.client", "<true/>") + key("network-client", "<true/>")
        + key(apple + "network.server", "<true/>"), ["network-client", "network-server"]),
    Asking(
      list(apple + "application-groups", ["group.org.example.notes"]), ["app-groups=group.org.example.notes"]),
    Asking(
      key(apple + "files.user-selected.read-only", "<true/>")
        + key(apple + "files.user-selected.read-write", "<true/>"), ["files-user-selected"]),
    Asking(key(apple + "device.microphone", "<true/>"), ["audio"]),
    Asking(key(apple + "app-sandbox", "<true/>"), []),
    Asking(key(apple + "app-sandbox", "<false/>"), ["none"]),
  ]

  /// What is wrong, and what the message must say of it.
  static let bad: [Asking] = [
    Asking(key("netwrok-client", "<true/>"), ["netwrok-client", "network-client, network-server"]),
    Asking(key("com.apple.security.get-task-allow", "<true/>"), ["com.apple.security.get-task-allow"]),
    Asking(key("unknown", "<false/>"), ["unknown"]),
    Asking(key("home", "<string>yes</string>"), ["home", "a string", "true or false"]),
    Asking(key("home", "<integer>1</integer>"), ["home", "an integer"]),
    Asking(key("app-groups", "<true/>"), ["app-groups", "a boolean", "an array"]),
    Asking(key("app-groups", "<string>group.a</string>"), ["app-groups", "a string"]),
    Asking(key("app-groups", "<array><true/></array>"), ["app-groups"]),
    Asking(list("app-groups", ["../../.ssh"]), ["../../.ssh", "malformed"]),
    Asking(list("app-groups", ["a/b"]), ["a/b"]),
    Asking(list("app-groups", ["one"]), ["one"]),
    Asking(list("app-groups", [""]), ["malformed"]),
    Asking(list("app-groups", ["a.b\u{85}c"]), ["malformed"]),
    Asking(key(apple + "app-sandbox", "<string>no</string>"), ["app-sandbox", "a string"]),
    Asking(list("app-groups", (0...32).map { "group.g\($0)" }), ["33", "at most 32"]),
  ]

  /// Names that no extension in a sandbox may talk to.
  static let refused: [(name: String, says: String)] = [
    ("*", "no name of a bus"), ("org", "no name of a bus"), ("", "no name of a bus"),
    (":1.5", "no name of a bus"), ("org.example.1a", "no name of a bus"), ("org..a", "no name of a bus"),
    ("org.example.Player=x", "no name of a bus"), ("org.example.a b", "no name of a bus"),
    ("org.example.*.b", "no name of a bus"), ("org.example.Player*", "no name of a bus"),
    ("org.example.Player.**", "no name of a bus"), (".*", "no name of a bus"),
    (String(repeating: "a", count: 250) + ".bcdefg", "no name of a bus"),
    ("org.*", "no name of a bus"), ("org.example.*", "too many programs"),
    ("org.freedesktop.*", "too many programs"),
    ("org.freedesktop.DBus", "rules the bus"), ("org.freedesktop.systemd1", "starts programs"),
    ("org.freedesktop.Flatpak", "starts programs"), ("org.freedesktop.Flatpak.*", "starts programs"),
    ("org.freedesktop.impl.portal.PermissionStore", "ask for none"),
    ("org.freedesktop.impl.portal.*", "ask for none"),
    ("org.freedesktop.portal.Documents", "ask for none"), ("org.freedesktop.portal.Desktop", "ask for none"),
    ("org.gnome.Shell", "starts programs"), ("org.gnome.Shell.Extensions", "starts programs"),
    ("org.gnome.SessionManager", "rules the session"), ("org.kde.kwalletd6", "passwords"),
    ("org.kde.konsole-4711", "starts programs"), ("org.freedesktop.secrets", "passwords"),
    ("org.a11y.Bus", "windows"), ("ca.desrt.dconf", "starts programs"), ("org.gtk.vfs.Daemon", "files"),
  ]
}

@Suite struct EntitlementTests {
  private func read(_ keys: String) throws -> BundleRecord {
    let root = try TemporaryDirectory()
    try root.makeExtension()
    try root.write(Fixtures.plist(keys), to: "Greeter.appex/Entitlements.plist")
    return try #require(root.read().first)
  }

  @Test(arguments: Asking.good)
  func `What is asked for is read, sorted, and means something`(asking: Asking) throws {
    let record = try read(asking.keys)
    #expect(record.isUsable, "\(record.problems)")
    #expect(record.entitlements == asking.lines)
    for line in record.entitlements {
      let entitlement = try #require(Entitlement(line))
      #expect(entitlement.line == line && entitlement.meaning.hasSuffix("."))
    }
  }

  @Test(arguments: Asking.bad)
  func `What cannot be granted as written makes the bundle invalid`(asking: Asking) throws {
    let record = try read(asking.keys)
    #expect(record.checks == [.entitlements] && record.problems.count == 1, "\(record.problems)")
    #expect(record.entitlements.isEmpty)
    let message = try #require(record.problems.first).message
    for part in asking.lines { #expect(message.contains(part), "\(message)") }
  }

  @Test(arguments: Asking.refused)
  func `A name on the bus that is worth a whole session is refused`(name: String, says: String) throws {
    let record = try read(Asking.list("session-bus", [name]))
    #expect(record.checks == [.entitlements] && record.entitlements.isEmpty)
    #expect(record.problems.first?.message.contains(says) == true, "\(record.problems)")
    #expect(Entitlement("session-bus=\(name)") == nil, "no decision can name it either")
  }

  @Test(arguments: ["org.gnome.ShellFriend", "org.freedesktop.FlatpakWatcher", "org.kde.kdedication"])
  func `A name that only begins like such a one is none`(name: String) throws {
    #expect(try read(Asking.list("session-bus", [name])).entitlements == ["session-bus=\(name)"])
  }

  @Test(arguments: [
    "", "network", "network-client=x", "app-groups", "app-groups=", "app-groups=../x", "none ", "a=b",
  ])
  func `A line of no meaning is no entitlement`(line: String) {
    #expect(Entitlement(line) == nil)
    #expect(Entitlement.meanings(of: [line]).map(\.name) == [line])
  }

  @Test func `Many faults are told, not a thousand`() throws {
    let record = try read((0..<500).map { Asking.key("unknown\($0)", "<true/>") }.joined())
    #expect(record.checks == [.entitlements])
    #expect((1...Entitlement.limit).contains(record.problems.count))
  }
}
