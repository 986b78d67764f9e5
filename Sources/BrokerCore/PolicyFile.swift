/// The text of one policy file, section after section; docs/policy.md describes it.
///
/// A section that cannot be read as a whole is a rule that blocks what it names: a slip of the pen must not open what was
/// meant to be closed. All that is wrong is reported with line and column.
public struct PolicyFile: Hashable, Sendable {
  public private(set) var rules: [PolicyRule] = []
  /// One sentence each, with path, line and column, counted from 1 in bytes.
  public private(set) var problems: [String] = []

  private let path: String
  private var section: Section?

  /// What was read of the section so far.
  private struct Section: Hashable {
    var name: String
    var line: Int
    var match = PolicyRule.Match()
    var entitlements: [String] = []
    var restrictions = PolicyRule.Restrictions()
    var isBroken = false
  }

  /// The most that is read of a file, in bytes.
  public static let sizeLimit = 1 << 20

  /// `distrust`: why nothing that it says counts but for what it names, nil where it does.
  public init(_ bytes: [UInt8], path: String, distrust: String? = nil) {
    self.path = path
    if let distrust { report(1, 1, distrust) }
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      read(line, number, isTrusted: distrust == nil)
    }
    endSection()
  }

  private mutating func report(_ line: Int, _ column: Int, _ message: String) {
    section?.isBroken = true
    // A file of rubbish is told about once, not a million times.
    if problems.count < 20 { problems.append("\(path):\(line):\(column): \(message)") }
  }

  private mutating func endSection() {
    guard let ended = section else { return }
    section = nil
    let action: PolicyRule.Action =
      switch ended.name {
      case _ where ended.isBroken: .broken
      case "Block": .block
      case "Approve": .approve(entitlements: ended.entitlements)
      default: .restrict(ended.restrictions)
      }
    rules.append(PolicyRule(action, match: ended.match, source: "\(path):\(ended.line)"))
  }

  // MARK: Lines

  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int, isTrusted: Bool) {
    let text = String(decoding: line, as: UTF8.self)
    let content = text.trimmed
    guard let first = content.utf8.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
      return
    }
    let column = line.count - line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count + 1
    guard text.utf8.elementsEqual(line),
      text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 || $0 == 13 })
    else { return report(number, column, "the line is not plain UTF-8 text") }
    if first == UInt8(ascii: "[") {
      endSection()
      let name = String(content.dropFirst().dropLast())
      section = Section(name: name, line: number)
      section?.isBroken = !isTrusted
      if !content.hasSuffix("]") || !["Block", "Approve", "Restrict"].contains(name) {
        report(
          number, column, "\(content.prefix(64)) is no section; there are [Block], [Approve] and [Restrict]")
      }
      return
    }
    guard let equals = content.firstIndex(of: "=") else {
      return report(number, column, "there is no '=' in the line; write Key=value")
    }
    let key = String(content[..<equals]).trimmed
    let value = String(content[content.index(after: equals)...]).trimmed
    guard section != nil else {
      return report(
        number, column,
        "\(key.prefix(64)) stands before the first section; begin with [Block], [Approve] or [Restrict]")
    }
    if let fault = set(key, value) { report(number, column, fault) }
  }

  /// Returns what is wrong.
  private mutating func set(_ key: String, _ value: String) -> String? {
    guard !value.isEmpty else { return "\(key.prefix(64)) has no value" }
    let words = value.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    switch key {
    case "Identifier": section?.match.identifiers += words
    case "Publisher": section?.match.publishers += words
    case "Point": section?.match.points += words
    // Paths may have blanks: one a line.
    case "Path": section?.match.paths.append(value)
    case "Entitlement" where section?.name == "Approve": section?.entitlements += words
    case "ForbidEntitlement" where isRestriction: section?.restrictions.forbiddenEntitlements += words
    case "RequireSignature" where isRestriction: return set(value) { $0.requiresSignature = $1 }
    case "RequireVerifiedHost" where isRestriction: return set(value) { $0.requiresVerifiedHost = $1 }
    case "ForbidDevelopment" where isRestriction: return set(value) { $0.forbidsDevelopment = $1 }
    case "AllowNoSandbox" where isRestriction: return set(value) { $0.allowsNoSandbox = $1 }
    case "MemoryMax" where isRestriction: return set(value, upTo: Int.max) { $0.bounds.memory = $1 }
    case "ProcessesMax" where isRestriction: return set(value, upTo: 1 << 22) { $0.bounds.processes = $1 }
    case "CPUWeightMax" where isRestriction: return set(value, upTo: 10_000) { $0.bounds.cpuWeight = $1 }
    case "OpenFilesMax" where isRestriction: return set(value, upTo: 1 << 20) { $0.bounds.openFiles = $1 }
    case "FileSizeMax" where isRestriction: return set(value, upTo: Int.max) { $0.bounds.fileSize = $1 }
    default:
      return "[\(section?.name.prefix(64) ?? "")] has no key \(key.prefix(64)); docs/policy.md lists them"
    }
    return nil
  }

  private var isRestriction: Bool { section?.name == "Restrict" }

  private mutating func set(_ value: String, _ store: (inout PolicyRule.Restrictions, Bool) -> Void)
    -> String?
  {
    guard var restrictions = section?.restrictions, let flag = ["yes": true, "no": false][value] else {
      return "'\(value.prefix(64))' is neither yes nor no"
    }
    store(&restrictions, flag)
    section?.restrictions = restrictions
    return nil
  }

  private mutating func set(
    _ value: String, upTo most: Int, _ store: (inout PolicyRule.Restrictions, Int) -> Void
  ) -> String? {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = value.last.flatMap { units[$0] }
    let digits = unit == nil ? Substring(value) : value.dropLast()
    guard var restrictions = section?.restrictions, !digits.isEmpty,
      digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits)
    else {
      return "'\(value.prefix(64))' is no number; write digits, and K, M, G or T after them"
    }
    let (result, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow, (1...most).contains(result) else {
      return "\(value.prefix(64)) must be from 1 to \(most)"
    }
    store(&restrictions, result)
    section?.restrictions = restrictions
    return nil
  }
}

extension StringProtocol {
  /// Without blanks at both ends.
  fileprivate var trimmed: String {
    func isBlank(_ character: Character) -> Bool {
      character == " " || character == "\t" || character == "\r"
    }
    var text = Substring(self).drop(while: isBlank)
    while let last = text.last, isBlank(last) { text = text.dropLast() }
    return String(text)
  }
}
