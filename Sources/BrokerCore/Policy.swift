/// What whoever administers the machine has laid down, rule after rule, in the order of the files.
public struct Policy: Hashable, Sendable {
  public var rules: [PolicyRule]
  /// What is wrong with the files: one sentence each, with path, line and column.
  public var problems: [String]

  public init(rules: [PolicyRule] = [], problems: [String] = []) {
    self.rules = rules
    self.problems = problems
  }
}

/// One section of a policy file.
public struct PolicyRule: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    case block
    /// Enables without asking the person what asks for no more than these entitlements (patterns).
    case approve(entitlements: [String])
    case restrict(Restrictions)
    /// Could not be read as a whole: what it names is blocked, whatever the rule was meant to say.
    case broken
  }

  public struct Restrictions: Hashable, Sendable {
    /// Patterns.
    public var forbiddenEntitlements: [String] = []
    public var requiresSignature = false
    public var requiresVerifiedHost = false
    public var forbidsDevelopment = false
    /// May be started without a sandbox where the machine cannot make one.
    public var allowsNoSandbox = false
    public var bounds = ResourceBounds()

    public init() {}
  }

  /// What the rule is about. Patterns; each list that is not empty has to fit, with one of its patterns.
  public struct Match: Hashable, Sendable {
    public var identifiers: [String] = []
    /// Fingerprints.
    public var publishers: [String] = []
    public var points: [String] = []
    public var paths: [String] = []

    public init() {}
  }

  public var action: Action
  public var match: Match
  /// Where it stands: path and line, as `/etc/extensiond/policy.d/10-site.policy:7`.
  public var source: String

  public init(_ action: Action, match: Match = Match(), source: String) {
    self.action = action
    self.match = match
    self.source = source
  }
}

/// A text that ends with `*` fits everything that begins with what stands before it; another one fits itself.
enum Pattern {
  static func fits(_ pattern: String, _ text: String) -> Bool {
    pattern.hasSuffix("*") ? text.hasPrefix(pattern.dropLast()) : pattern == text
  }

  static func anyFits(_ patterns: [String], _ text: String?) -> Bool {
    guard let text else { return false }
    return patterns.contains { fits($0, text) }
  }
}
