internal import LinuxSystem

/// Turns words into an invocation.
struct CommandLineParser {
  let commands: [Command]

  func command(_ name: String) throws(ControlError) -> Command {
    if let command = commands.first(where: { $0.names.contains(name) }) { return command }
    let near = commands.flatMap(\.names).min { Self.distance($0, name) < Self.distance($1, name) } ?? "help"
    throw ControlError(
      .usage, "there is no command '\(name)'; do you mean '\(near)'? 'extctl help' lists all")
  }

  func parse(_ words: [String]) throws(ControlError) -> Invocation {
    var words = words
    // Options before the command are those that every command has.
    let leading = words.prefix { $0.hasPrefix("-") }
    words.removeFirst(leading.count)
    guard let name = words.first else {
      guard leading.allSatisfy({ ["--help", "-h"].contains($0) }) else {
        throw ControlError(
          .usage, "a command is missing after '\(leading.joined(separator: " "))'; 'extctl help' lists them")
      }
      return try Invocation(command: command("help"), arguments: [], values: [:])
    }
    let command = try command(name)
    let line = try read(leading + words.dropFirst(), command)
    if line.values["help"] != nil {
      return try Invocation(command: self.command("help"), arguments: [command.name], values: line.values)
    }
    guard command.count.contains(line.arguments.count) else {
      let fault =
        line.arguments.count < command.count.lowerBound ? "an argument is missing" : "too many arguments"
      throw ControlError(.usage, "\(fault); usage: \(command.synopsis); see 'extctl help \(command.name)'")
    }
    return Invocation(
      command: command, arguments: line.arguments, values: line.values, lists: line.lists)
  }

  private func read(_ words: some Sequence<String>, _ command: Command) throws(ControlError)
    -> OptionReader.Result
  {
    let options = command.allOptions.map {
      OptionReader.Option(name: $0.name, letter: $0.letter, takesValue: $0.value != nil)
    }
    do throws(OptionReader.Failure) {
      return try OptionReader.read(Array(words), options)
    } catch {
      let fault =
        switch error {
        case .unknown(let word): "'\(command.name)' has no option '\(word)'"
        case .valueMissing(let word): "the option '\(word)' needs a value"
        case .unexpectedValue(let word): "the option of '\(word)' takes no value"
        }
      throw ControlError(.usage, "\(fault); see 'extctl help \(command.name)'")
    }
  }

  /// Levenshtein's: how many letters must be added, removed or changed.
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
