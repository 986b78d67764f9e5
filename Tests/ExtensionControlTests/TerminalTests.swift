import Testing

@testable import ExtensionControl

struct TerminalTests {
  @Test("columns line up, and no line ends in blanks")
  func table() {
    let text = Terminal.table(["A", "LONG HEADING", "C"], [["one", "x", ""], ["a", "y", "z"]])
    #expect(text.split(separator: "\n").map(String.init).suffix(2) == ["one  x", "a    y             z"])
    #expect(Terminal.table(["A"], []).isEmpty)
  }

  @Test(
    "what a terminal would obey becomes visible",
    arguments: [
      ("red \u{1B}[31m", "red \\u{1b}[31m"), ("\u{9B}2J", "\\u{9b}2J"), ("a\rb", "a\\u{d}b"),
      ("\u{7}", "\\u{7}"),
      // Right-to-left override: the name would read backwards.
      ("gpj.\u{202E}x", "gpj.\\u{202e}x"), ("Grüße, 世界", "Grüße, 世界"),
    ])
  func escapes(text: String, shown: String) { #expect(Terminal.visible(text) == shown) }

  @Test("a name in a table cannot begin another row")
  func lines() {
    #expect(Terminal.table(["A"], [["x\nenabled  fake"]]).split(separator: "\n").count == 2)
    #expect(Terminal.visible("a\nb") == "a\nb")
  }

  @Test("the further lines of a value stand under its first")
  func fields() { #expect(Terminal.fields([("a", "1\n2"), ("long", "3")]) == "a     1\n      2\nlong  3") }

  @Test("paths are made absolute, identifiers are left alone")
  func paths() throws {
    #expect(try Path.subject("org.example.Ext") == "org.example.Ext")
    #expect(try Path.subject("/a//b/./c/../d.appex/") == "/a/b/d.appex")
    #expect(try Path.subject("./x.appex").hasSuffix("/x.appex"))
    #expect(try Path.subject("./x.appex").hasPrefix("/"))
  }
}
