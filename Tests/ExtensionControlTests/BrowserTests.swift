import ExtensionInterfaces
import Testing

@testable import ExtensionControl

private typealias Item = AdminInterface.Extension

private func item(
  _ name: String, state: Item.State = .unapproved, digest: String? = "sha256:1", entitlements: [String] = [],
  title: String? = nil, path: String? = nil
) -> Item {
  Item(
    identifier: "org.example.\(name)", path: path ?? "/roots/\(name).appex", state: state,
    explanation: "why it is so",
    localizedName: title ?? name, extensionPoint: "org.example.Host.Point", version: "1.0", digest: digest,
    rootOwned: false, entitlements: entitlements, problems: [], instances: 0)
}

extension Browser {
  fileprivate init(_ items: [Item], showing name: String? = nil) {
    self.init(showing: name)
    _ = show(items)
  }

  fileprivate mutating func type(_ text: String) -> [Action] { text.compactMap { handle(.character($0)) } }

  /// What a person sees.
  fileprivate mutating func text(_ width: Int = 80, _ height: Int = 24) -> String {
    lines(width: width, height: height).map(\.text).joined(separator: "\n")
  }

  fileprivate mutating func marked() -> String? {
    lines(width: 80, height: 24).dropLast().first(where: \.isReversed)?.text
  }
}

struct BrowserTests {
  @Test(
    "every screen has just so many lines, and none is wider",
    arguments: [(80, 24), (40, 10), (12, 3), (1, 1)])
  func sizes(width: Int, height: Int) {
    let long = String(repeating: "世界 é", count: 90)
    var browser = Browser(
      (1...50).map { item("n\($0)", title: long) } + [item("long", title: long + "\n\u{1B}[2J")])
    func check(_ what: String) {
      let lines = browser.lines(width: width, height: height)
      #expect(lines.count == height, "\(what)")
      for line in lines {
        #expect(Columns.width(line.text) <= width, "\(what): \(line.text)")
        #expect(!line.text.unicodeScalars.contains { $0.value < 32 || $0.value == 0x9B }, "\(what)")
      }
    }
    check("list")
    for keys in ["a", "n", "d", "n", "w", "l", "?", "q", "/n1"] {
      _ = browser.type(keys)
      check(keys)
    }
    _ = browser.handle(.enter)
    _ = browser.handle(.enter)
    check("details")
  }

  @Test("those that wait come first, and the selection stays with its extension when others come")
  func selection() {
    var browser = Browser([item("b", state: .enabled), item("c"), item("a", state: .enabled)])
    #expect(browser.shown.map(\.identifier) == ["org.example.c", "org.example.a", "org.example.b"])
    _ = browser.type("j")
    #expect(browser.marked()?.contains("org.example.a") == true)
    _ = browser.show([item("0"), item("b", state: .enabled), item("c"), item("a", state: .enabled)])
    #expect(browser.marked()?.contains("org.example.a") == true)
    _ = browser.show([item("b", state: .enabled)])
    #expect(browser.marked()?.contains("org.example.b") == true)
    _ = browser.show([])
    #expect(browser.text().contains("no extensions"))
    #expect(browser.type("adrwlj") == [])
    #expect(browser.handle(.enter) == nil)
  }

  @Test("the list scrolls with the selection")
  func scrolling() {
    var browser = Browser((10..<60).map { item("n\($0)") })
    for key in [Key.end, .pageUp, .home, .pageDown, .down] {
      _ = browser.handle(key)
      #expect(browser.marked() != nil, "\(key)")
    }
    _ = browser.handle(.end)
    #expect(browser.marked()?.contains("n59") == true)
  }

  @Test("a filter leaves what has it in it; Esc ends it")
  func filtering() {
    var browser = Browser([item("one"), item("two", state: .disabled), item("three")])
    #expect(browser.type("/DISAB") == [])
    #expect(browser.shown.map(\.identifier) == ["org.example.two"])
    #expect(browser.marked()?.contains("org.example.two") == true)
    // Keys that mean something else are only letters here.
    _ = browser.type("q")
    #expect(browser.shown.isEmpty)
    _ = browser.handle(.backspace)
    _ = browser.handle(.enter)
    #expect(browser.text().contains("with 'DISABq'") == false && browser.text().contains("with 'DISAB'"))
    _ = browser.handle(.escape)
    #expect(browser.shown.count == 3)
    #expect(browser.type("q") == [.quit])
  }

  @Test("exactly what was shown is approved, whatever comes meanwhile")
  func approving() {
    let seen = item("x", entitlements: ["network-client"])
    var browser = Browser([seen])
    #expect(browser.type("a") == [])
    let text = browser.text()
    #expect(text.contains("sha256:1") && text.contains("network-client") && text.contains("y/N"))
    _ = browser.show([item("x", digest: "sha256:2", entitlements: ["home", "network-client"])])
    #expect(browser.text().contains("sha256:1"))
    #expect(browser.type("y") == [.approve(seen)])
    // The broker refuses it, and the person sees why.
    browser.show(seen, changedTo: item("x", digest: "sha256:2", entitlements: ["home", "network-client"]))
    let difference = browser.text()
    #expect(difference.contains("Nothing was approved") && difference.contains("entitlement added: home"))
    #expect(difference.contains("sha256:1 -> sha256:2"))
    _ = browser.type("a")
    _ = browser.text()
    #expect(
      browser.type("y") == [
        .approve(item("x", digest: "sha256:2", entitlements: ["home", "network-client"]))
      ])
  }

  @Test("nothing is approved that was not on the screen to its end")
  func reading() {
    var browser = Browser([item("x", entitlements: (0..<40).map { "entitlement-number-\($0)" })])
    // Typed before the question was there.
    #expect(browser.type("ay") == [])
    #expect(browser.text(40, 10).contains("(more below)"))
    #expect(browser.type("y") == [])
    #expect(browser.text(40, 10).contains("read it to its end first"))
    for _ in 0..<200 {
      #expect(browser.handle(.down) == nil)
      _ = browser.text(40, 10)
    }
    #expect(browser.text(40, 10).contains("y/N"))
    #expect(browser.type("y").count == 1)
  }

  @Test(
    "any other key than y is no",
    arguments: [Key.character("n"), .character("Y"), .enter, .escape, .character("q")])
  func refusing(key: Key) {
    for first in ["a", "d", "r"] {
      var browser = Browser([item("x")])
      _ = browser.type(first)
      _ = browser.text()
      #expect(browser.handle(key) == nil)
      #expect(browser.text().contains("nothing was done"))
      #expect(browser.type("y") == [] && browser.page == nil)
    }
  }

  @Test("disable and reset are asked about, and are for what is selected")
  func deciding() {
    var browser = Browser([item("a"), item("b")])
    _ = browser.type("jd")
    #expect(browser.text().contains("Disable b (org.example.b), and end what runs of it? y/N"))
    #expect(browser.type("y") == [.disable(item("b"))])
    _ = browser.type("r")
    _ = browser.text()
    #expect(browser.type("y") == [.reset(item("b"))])
    browser.finish("nothing is decided about b now")
    #expect(browser.text().contains("nothing is decided about b now"))
  }

  @Test("one that cannot be approved is not, and says why")
  func broken() {
    var browser = Browser([item("x", state: .invalid, digest: nil)])
    #expect(browser.type("a") == [])
    #expect(browser.text().contains("cannot be approved: why it is so"))
    #expect(browser.question == nil)
  }

  @Test("details tell what it asks for and why it may be used, and follow what happens")
  func details() {
    let host = item("Host", path: "/roots/Host.app")
    var browser = Browser(
      [host, item("in", path: "/roots/Host.app/Extensions/in.appex")], showing: "org.example.Host")
    #expect(browser.text().contains("Inside, and approved with it:\n  in (org.example.in)"))
    browser.show(
      [.init(name: "decision", result: .fail, evidence: "waits\u{1B}[31m", mend: "extctl approve x")],
      of: host.path)
    let text = browser.text()
    #expect(text.contains("FAIL  decision") && text.contains("-> extctl approve x"))
    #expect(text.contains("waits\\u{1b}[31m"))
    var changed = host
    changed.state = .enabled
    #expect(browser.show([changed]) == .explain(host.path))
    #expect(browser.text().contains("enabled"))
    // An answer about something else comes late.
    browser.show([.init(name: "other", result: .pass, evidence: "")], of: "/elsewhere")
    #expect(!browser.text().contains("other"))
    #expect(browser.show([]) == nil && browser.page == nil)
    #expect(browser.text().contains("is gone"))
  }

  @Test("of one that changed, what was approved stands beside what it is")
  func changed() {
    var browser = Browser([item("x", state: .changed, digest: "sha256:2", entitlements: ["home"])])
    #expect(browser.type("a") == [.history("org.example.x")])
    _ = browser.text()
    browser.show(history: [
      .init(
        identifier: "org.example.x", decision: .enabled, time: 0, digest: "sha256:1", entitlements: [],
        peer: "")
    ])
    let text = browser.text()
    #expect(text.contains("digest: sha256:1 -> sha256:2") && text.contains("home (NEW): "))
  }

  @Test("characters of two columns are cut where they end")
  func columns() {
    Columns.prepare()
    #expect(Columns.cut("世界世界", to: 5) == "世界…" && Columns.cut("世界", to: 4) == "世界")
    #expect(Columns.fit("é", to: 3) == "é  " && Columns.width("e\u{301}") == 1)
    #expect(Columns.wrap("世界世界", to: 5) == ["世界", "世界"])
  }
}
