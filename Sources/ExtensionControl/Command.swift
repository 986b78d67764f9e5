/// One command of extctl. Parsing, help, completions and the man page are made from these.
struct Command: Sendable {
  struct Option: Sendable {
    let name: String
    /// One letter; nil for none.
    var letter: Character?
    /// What stands for the value in help; nil for a switch.
    var value: String?
    let help: String
  }

  let name: String
  var aliases: [String] = []
  /// What comes after the name, in order; those in brackets may be left out.
  var arguments: [String] = []
  let summary: String
  var details = ""
  var options: [Option] = []
  let run: @Sendable (Invocation) throws -> ExitStatus

  /// Known by every command.
  static let common = [
    Option(name: "json", help: "print JSON for programs: one object, or one a line where there are several"),
    Option(name: "help", letter: "h", help: "explain the command"),
  ]

  var allOptions: [Option] { options + Command.common }
  var names: [String] { [name] + aliases }
  /// The line that shows how it is written.
  var synopsis: String {
    (["extctl", name] + (options.isEmpty ? [] : ["[OPTIONS]"]) + arguments).joined(separator: " ")
  }
  /// How few and how many arguments there may be.
  var count: ClosedRange<Int> { arguments.filter { !$0.hasPrefix("[") }.count...arguments.count }
}
