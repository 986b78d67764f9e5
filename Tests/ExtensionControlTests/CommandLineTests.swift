import Testing

@testable import ExtensionControl

struct CommandLineTests {
  let parser = CommandLineParser(commands: ExtensionControl.commands)

  @Test(
    "every command has help that names all of its options", arguments: ExtensionControl.commands.map(\.name))
  func help(name: String) throws {
    let command = try parser.command(name)
    #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
    let text = HelpText.text(of: command)
    for option in command.allOptions {
      #expect(text.contains("--\(option.name)"))
      #expect(!option.help.isEmpty)
    }
    #expect(HelpText.overview(of: ExtensionControl.commands).contains("  \(name) "))
  }

  @Test("no two options or commands have one name")
  func uniqueNames() {
    let names = ExtensionControl.commands.flatMap(\.names)
    #expect(Set(names).count == names.count)
    for command in ExtensionControl.commands {
      #expect(Set(command.allOptions.map(\.name)).count == command.allOptions.count)
      let letters = command.allOptions.compactMap(\.letter)
      #expect(Set(letters).count == letters.count)
    }
  }

  @Test("required arguments come before those that may be left out")
  func argumentOrder() {
    for command in ExtensionControl.commands {
      let optional = command.arguments.map { $0.hasPrefix("[") }
      #expect(optional == optional.sorted { !$0 && $1 })
    }
  }

  @Test("options stand in any place, with their values in both forms, and shortened")
  func options() throws {
    let line = try parser.parse(["activate", "--scene", "One", "org.example.Ext", "--host=org.example.Host"])
    #expect(line.arguments == ["org.example.Ext"])
    #expect(line.values == ["scene": "One", "host": "org.example.Host"])
    #expect(try parser.parse(["--json", "logs", "x", "-f"]).values.keys.sorted() == ["follow", "json"])
    #expect(try parser.parse(["logs", "--fol", "x"]).has("follow"))
    #expect(try parser.parse(["show", "--", "--json"]).arguments == ["--json"])
    #expect(try parser.parse(["enable", "-y", "x"]).command.name == "approve")
    let several = try parser.parse(["dev", "simulate", "x", "--scene", "One", "--scene=Two"])
    #expect(several.lists == ["scene": ["One", "Two"]] && several.values == ["scene": "Two"])
  }

  @Test("--help is a command of its own, whatever else is missing")
  func helpOption() throws {
    for words in [["show", "--help"], ["show", "-h"], ["--help", "show"], ["help", "show"]] {
      let line = try parser.parse(words)
      #expect(line.command.name == "help" && line.arguments == ["show"])
    }
    #expect(try parser.parse([]).command.name == "help")
  }

  @Test(
    "what is not understood says why, and where to read on",
    arguments: [
      (["lsit"], "do you mean 'list'?"), (["aprove", "x"], "do you mean 'approve'?"),
      (["list", "--bogus"], "no option '--bogus'"), (["logs", "-fz", "x"], "no option '-z'"),
      (["connect", "x", "--scene"], "'--scene' needs a value"),
      (["list", "--all=1"], "'--all=1' takes no value"),
      (["show"], "usage: extctl show ID|PATH"), (["ps", "x"], "too many arguments"),
      (["--bogus"], "a command is missing"),
    ])
  func faults(words: [String], said: String) throws {
    let error = try #require(throws: ControlError.self) { try parser.parse(words) }
    #expect(error.status == .usage)
    #expect(error.description.contains(said))
    #expect(error.description.contains("extctl help"))
  }
}
