/// What is known only while the shell completes, since it is the broker that knows it.
enum CompletionWords: String, CaseIterable {
  /// Identifiers of whatever lies in a root.
  case bundles
  case extensions
  /// Identifiers of the hosts that are connected, or have a bundle.
  case hosts
  case instances
  case points

  /// What may stand for the arguments of a command.
  static func of(_ command: Command) -> [CompletionWords] {
    let names = command.arguments.flatMap { argument in
      argument.split { "[|]".contains($0) }.map(String.init)
    }
    let isAny = names.contains("PATH") || command.arguments.contains("[ID]")
    return (names.contains("ID") ? [isAny ? .bundles : .extensions] : [])
      + (names.contains("INSTANCE") ? [.instances] : [])
  }

  /// What may be the value of an option.
  static func of(_ option: Command.Option) -> CompletionWords? {
    switch option.name {
    case "host": .hosts
    case "interface": .points
    default: nil
    }
  }

  /// The command that prints them; nothing ever comes from it but them.
  static func call(_ words: [CompletionWords]) -> String {
    "extctl words \(words.map(\.rawValue).joined(separator: ",")) 2>/dev/null </dev/null"
  }
}
