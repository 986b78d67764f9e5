import LinuxSystem
import Testing

@testable import ExtensionControl

struct DocumentTests {
  let commands = ExtensionControl.commands

  @Test("completions hold every command and every option", arguments: Completions.Shell.allCases)
  func completions(shell: Completions.Shell) throws {
    let text = Completions.text(for: shell, commands)
    for command in commands {
      for name in command.names { #expect(text.contains(name)) }
      for option in command.options {
        #expect(text.contains(shell == .fish ? "-l \(option.name)" : "--\(option.name)"))
      }
    }
  }

  @Test("the shells that are here take their completions", arguments: Completions.Shell.allCases)
  func syntax(shell: Completions.Shell) throws {
    let file = try TemporaryDirectory().keep("completions", Completions.text(for: shell, commands))
    let run = Program.run(shell.rawValue, ["-n", file.path])
    // nil: there is no such shell.
    if let end = run.end { #expect(end == .exited(status: 0), "\(run.output)") }
  }

  @Test("the man page has every command and every exit status, and groff has nothing to say about it")
  func manPage() throws {
    let page = ManPage.text(of: commands)
    for command in commands { #expect(page.contains("\n.B \(ManPage.escaped(command.name))")) }
    for status in Status.allCases { #expect(page.contains("\n.B \(status.rawValue)\n")) }
    let file = try TemporaryDirectory().keep("extctl.1", page)
    let run = Program.run("groff", ["-man", "-ww", "-z", "-Tutf8", file.path])
    if let end = run.end { #expect(end == .exited(status: 0) && run.output.isEmpty, "\(run.output)") }
  }

  @Test("a line of the man page cannot become a request")
  func escapes() {
    #expect(ManPage.escaped(".so x") == "\\&.so x")
    #expect(ManPage.escaped("a\\b-c 'd'") == "a\\eb\\-c \\(aqd\\(aq")
  }

  @Test("docs/extctl.md is what the table says; 'make docs' makes it anew")
  func markdown() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let bytes = try File.read(root + "/docs/extctl.md", limit: 1 << 20)
    #expect(String(decoding: bytes, as: UTF8.self) == Markdown.text(of: commands))
  }
}
