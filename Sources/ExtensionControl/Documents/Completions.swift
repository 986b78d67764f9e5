/// Completions for shells.
enum Completions {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  static func text(for shell: Shell, _ commands: [Command]) -> String {
    switch shell {
    case .bash: bash(commands)
    case .zsh: zsh(commands)
    case .fish: fish(commands)
    }
  }

  private static func words(_ command: Command) -> String {
    (command.allOptions.map { "--\($0.name)" } + choices(command)).joined(separator: " ")
  }

  /// Arguments that are words to choose from, such as those of `completion` itself.
  private static func choices(_ command: Command) -> [String] {
    if command.name == "help" { return ExtensionControl.commands.map(\.name) }
    return command.arguments.flatMap { $0.split(separator: "|").map(String.init) }.filter {
      $0 == $0.lowercased()
    }
  }

  private static func bash(_ commands: [Command]) -> String {
    let cases = commands.map { command in
      let kinds = CompletionWords.of(command).map(\.rawValue).joined(separator: ",")
      return "      \(command.names.joined(separator: "|"))) words='\(words(command))' kinds=\(kinds) ;;"
    }
    let values = Dictionary(
      commands.flatMap(\.options).filter { $0.value != nil }.map { ($0.name, CompletionWords.of($0)) },
      uniquingKeysWith: { first, _ in first }
    ).sorted { $0.key < $1.key }.map { "      --\($0.key)) words= kinds=\($0.value?.rawValue ?? "") ;;" }
    return """
      _extctl() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} kinds=
        local words='\(commands.map(\.name).joined(separator: " "))'
        # An = is a word of its own to bash.
        if [ "$word" = = ]; then
          word=
        elif [ "$previous" = = ]; then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        fi
        if [ "$COMP_CWORD" -gt 1 ]; then
          case ${COMP_WORDS[1]} in
      \(cases.joined(separator: "\n"))
            *) words= ;;
          esac
          case $previous in
      \(values.joined(separator: "\n"))
          esac
        fi
        # Paths are completed by bash itself.
        case $word in -* | */*) kinds= ;; esac
        [ -z "$kinds" ] || words+=" $(extctl words "$kinds" 2>/dev/null </dev/null)"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      }
      complete -o default -F _extctl extctl
      """
  }

  private static func zsh(_ commands: [Command]) -> String {
    let cases = commands.map { command in
      let options = command.allOptions.map { option in
        let value = CompletionWords.of(option).map { " _extctl_words \($0.rawValue)" } ?? "_files"
        return quoted("--\(option.name)[\(option.help)]" + (option.value.map { ":\($0):\(value)" } ?? ""))
      }
      let choices = choices(command)
      let kinds = CompletionWords.of(command).map(\.rawValue).joined(separator: ",")
      let rest =
        if !choices.isEmpty {
          "(\(choices.joined(separator: " ")))"
        } else if kinds.isEmpty { "_files" } else { " _extctl_argument \(kinds)" }
      let first =
        choices.isEmpty || command.arguments.count == 1 ? "*:argument:\(rest)" : "1:argument:\(rest)"
      let others = first.hasPrefix("1") ? [quoted("*:argument:_files")] : []
      let words = (options + [quoted(first)] + others).joined(separator: " ")
      return "    \(command.names.joined(separator: "|"))) _arguments \(words) ;;"
    }
    return """
      #compdef extctl
      _extctl_words() {
        local -a found
        found=(${(f)"$(extctl words $1 2>/dev/null </dev/null)"})
        compadd -a found
      }
      _extctl_argument() {
        [[ $PREFIX == */* ]] || _extctl_words $1
        _files
      }
      local -a commands
      commands=(
      \(commands.map { "  " + quoted("\($0.name):\($0.summary)") }.joined(separator: "\n"))
      )
      if (( CURRENT == 2 )); then
        _describe command commands
      else
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(cases.joined(separator: "\n"))
        esac
      fi
      """
  }

  private static func fish(_ commands: [Command]) -> String {
    var lines: [String] = []
    for command in commands {
      lines.append(
        "complete -c extctl -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(command.summary))")
      let names = command.names.joined(separator: " ")
      let start = "complete -c extctl -n " + quoted("__fish_seen_subcommand_from \(names)")
      for option in command.allOptions {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value = option.value == nil ? "" : " -r"
        let words =
          CompletionWords.of(option).map { " -f -a " + quoted("(\(CompletionWords.call([$0])))") } ?? ""
        lines.append("\(start) -l \(option.name)\(letter)\(value)\(words) -d \(quoted(option.help))")
      }
      for choice in choices(command) { lines.append("\(start) -f -a \(choice)") }
      let words = CompletionWords.of(command)
      if !words.isEmpty { lines.append("\(start) -a " + quoted("(\(CompletionWords.call(words)))")) }
    }
    return lines.joined(separator: "\n")
  }

  /// One word for a shell. An apostrophe of a summary becomes a typographic one, which needs no escape in any shell.
  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "\u{2019}" : String($0) }.joined() + "'"
  }
}
