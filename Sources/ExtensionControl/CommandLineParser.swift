/// Turns words into an invocation: options in any place, `--` ends them, as getopt_long(3) has it.
enum CommandLineParser {
  static func parse(_ words: [String], commands: [Command]) throws(ControlError) -> Invocation {
    guard let name = words.first else {
      throw ControlError(.usage, "no command is given; 'extctl help' lists them")
    }
    guard let command = commands.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
      let near = commands.map(\.name).min { distance($0, name) < distance($1, name) }
      throw ControlError(
        .usage, "there is no command '\(name)'" + (near.map { "; do you mean '\($0)'?" } ?? ""))
    }
    return try parse(Array(words.dropFirst()), command)
  }

  private static func parse(_ words: [String], _ command: Command) throws(ControlError) -> Invocation {
    var arguments: [String] = []
    var values: [String: String] = [:]
    var switches: Set<String> = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        arguments.append(word)
        continue
      }
      let (name, inline) = split(word)
      guard let option = (command.options + Command.common).first(where: { matches($0, name) }) else {
        throw ControlError(
          .usage, "'\(command.name)' has no option '\(word)'; see 'extctl help \(command.name)'")
      }
      guard option.value != nil else {
        switches.insert(option.name)
        continue
      }
      guard let value = inline ?? rest.popFirst() else {
        throw ControlError(.usage, "the option '\(word)' needs a value; see 'extctl help \(command.name)'")
      }
      values[option.name] = value
    }
    guard command.count.contains(arguments.count) else {
      throw ControlError(.usage, "usage: extctl \(command.name) \(command.arguments)")
    }
    return Invocation(command: command, arguments: arguments, values: values, switches: switches)
  }

  private static func split(_ word: String) -> (name: String, value: String?) {
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }

  private static func matches(_ option: Command.Option, _ word: String) -> Bool {
    word == "--" + option.name || option.short.map { word == "-\($0)" } ?? false
  }

  /// Levenshtein's.
  static func distance(_ left: String, _ right: String) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var previous = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let cost = min(row[j + 1] + 1, row[j] + 1, previous + (a == b ? 0 : 1))
        previous = row[j + 1]
        row[j + 1] = cost
      }
    }
    return row[right.count]
  }
}
