internal import ExtensionInterfaces

/// What the hosts of one point hear of its extensions: names of those that they may use, and numbers of others.
struct Audience: Hashable, Sendable {
  private(set) var named: Set<String> = []
  private(set) var disabled = 0
  private(set) var unapproved = 0

  var isEmpty: Bool { named.isEmpty && disabled == 0 && unapproved == 0 }

  mutating func add(_ identifier: String, _ kind: Standing.Kind) {
    switch kind {
    case .named: named.insert(identifier)
    case .disabled: disabled += 1
    case .unapproved: unapproved += 1
    }
  }

  mutating func remove(_ identifier: String, _ kind: Standing.Kind) {
    switch kind {
    case .named: named.remove(identifier)
    case .disabled: disabled -= 1
    case .unapproved: unapproved -= 1
    }
  }
}

/// As what an extension is among the audience of its point.
struct Standing: Sendable {
  enum Kind: Sendable {
    case named, disabled, unapproved

    /// nil where hosts hear nothing of it.
    init?(_ state: CatalogEntry.State) {
      switch state {
      case .enabled: self = .named
      case .disabled: self = .disabled
      case .unapproved, .changed: self = .unapproved
      default: return nil
      }
    }
  }

  let point: String
  let kind: Kind
}
