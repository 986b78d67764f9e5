extension InterfaceDescription {
  /// Reads a description, and checks that names are unique and those that are used exist.
  public init(parsing text: String) throws(DescriptionError) {
    var parser = DescriptionParser(text)
    self = try parser.interface()
  }
}

/// UAPI.20, "Grammar".
struct DescriptionParser {
  private typealias Description = InterfaceDescription
  private static let maximumDepth = 32

  private var scanner: DescriptionScanner
  private var token = DescriptionScanner.Token.end
  private var depth = 0
  /// Names that were used, and where.
  private var uses: [(name: String, error: DescriptionError)] = []

  init(_ text: String) { scanner = DescriptionScanner(text) }

  mutating func interface() throws(DescriptionError) -> InterfaceDescription {
    try advance()
    let documentation = scanner.documentation
    try expect(word: "interface")
    let name = try word("the interface's name, such as org.example.service")
    guard Self.isInterfaceName(name) else {
      throw scanner.error("'\(name)' is no interface name: two or more components of letters, digits and hyphens")
    }
    try advance()
    var members: [InterfaceDescription.Member] = []
    while token != .end { members.append(try member()) }
    guard !members.isEmpty else { throw scanner.error("the interface has no members; declare a type, method or error") }
    var names: Set<String> = []
    for member in members where !names.insert(member.name).inserted {
      throw scanner.error("'\(member.name)' is declared twice; types, methods and errors share their names")
    }
    let types = Set(members.filter { if case .type = $0.kind { true } else { false } }.map(\.name))
    for use in uses where !types.contains(use.name) { throw use.error }
    return InterfaceDescription(name: name, documentation: documentation, members: members)
  }

  private mutating func member() throws(DescriptionError) -> InterfaceDescription.Member {
    let documentation = scanner.documentation
    let keyword = try word("'type', 'method' or 'error'")
    guard ["type", "method", "error"].contains(keyword) else {
      throw scanner.error("'\(keyword)' is neither 'type' nor 'method' nor 'error'")
    }
    try advance()
    let name = try word("a name")
    guard let first = name.utf8.first, (65...90).contains(first), name.utf8.allSatisfy(Self.isAlphanumeric) else {
      throw scanner.error("'\(name)' must begin with a capital letter and go on with letters and digits")
    }
    try advance()
    let kind: InterfaceDescription.Member.Kind
    switch keyword {
    case "type":
      let type = try parenthesised()
      kind = .type(type)
    case "method":
      let input = try structure("the method's input")
      try expect(mark: "->")
      kind = .method(input: input, output: try structure("the method's output"))
    default: kind = .error(try structure("the error's parameters"))
    }
    return .init(name: name, documentation: documentation, kind: kind)
  }

  private mutating func structure(_ what: String) throws(DescriptionError) -> [InterfaceDescription.Field] {
    guard case .structure(let fields) = try parenthesised() else {
      throw scanner.error("\(what) must be fields with types, such as (name: string)")
    }
    return fields
  }

  /// A struct or an enum: which of them shows after the first name.
  private mutating func parenthesised() throws(DescriptionError) -> InterfaceDescription.TypeExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw scanner.error("types are nested deeper than \(Self.maximumDepth)") }
    try expect(mark: "(")
    if token == .mark(")") {
      try advance()
      return .structure([])
    }
    var fields: [InterfaceDescription.Field] = []
    var cases: [InterfaceDescription.Case] = []
    while true {
      let documentation = scanner.documentation
      let name = try word("a field's name")
      guard Self.isFieldName(name) else {
        throw scanner.error("'\(name)' is no field name: letters and digits, with single underscores between them")
      }
      guard !fields.contains(where: { $0.name == name }), !cases.contains(where: { $0.name == name }) else {
        throw scanner.error("'\(name)' stands here twice")
      }
      try advance()
      if token == .mark(":") {
        guard cases.isEmpty else { throw scanner.error("an enum's values have no types") }
        try advance()
        fields.append(.init(name: name, documentation: documentation, type: try type()))
      } else {
        guard fields.isEmpty else { throw scanner.error("the field '\(name)' needs a type, such as '\(name): string'") }
        cases.append(.init(name: name, documentation: documentation))
      }
      if token == .mark(")") { break }
      try expect(mark: ",")
    }
    try advance()
    return cases.isEmpty ? .structure(fields) : .enumeration(cases)
  }

  private mutating func type() throws(DescriptionError) -> InterfaceDescription.TypeExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw scanner.error("types are nested deeper than \(Self.maximumDepth)") }
    switch token {
    case .mark("?"):
      try advance()
      if token == .mark("?") { throw scanner.error("a type can be nullable only once") }
      return .optional(try type())
    case .mark("[]"):
      try advance()
      return .array(try type())
    case .mark("[string]"):
      try advance()
      return .dictionary(try type())
    case .mark("("): return try parenthesised()
    default: return try element()
    }
  }

  private mutating func element() throws(DescriptionError) -> InterfaceDescription.TypeExpression {
    let name = try word("a type")
    let standard: [String: InterfaceDescription.TypeExpression] = [
      "bool": .bool, "int": .int, "float": .float, "string": .string, "object": .object, "any": .any,
    ]
    if standard[name] == nil { uses.append((name, scanner.error("there is no type '\(name)'"))) }
    try advance()
    return standard[name] ?? .named(name)
  }

  // MARK: Tokens

  private mutating func advance() throws(DescriptionError) { token = try scanner.next() }

  private func word(_ what: String) throws(DescriptionError) -> String {
    guard case .word(let word) = token else { throw scanner.error("expected \(what)") }
    return word
  }

  private mutating func expect(word: String) throws(DescriptionError) {
    guard token == .word(word) else { throw scanner.error("expected '\(word)'") }
    try advance()
  }

  private mutating func expect(mark: String) throws(DescriptionError) {
    guard token == .mark(mark) else { throw scanner.error("expected '\(mark)'") }
    try advance()
  }

  // MARK: Names

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte)
  }

  private static func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, isAlphanumeric(first), !(48...57).contains(first) else { return false }
    return name.split(separator: "_", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy(isAlphanumeric)
    }
  }

  private static func isInterfaceName(_ name: String) -> Bool {
    let components = name.split(separator: ".", omittingEmptySubsequences: false)
    guard components.count >= 2, let first = name.utf8.first, !(48...57).contains(first) else { return false }
    return components.allSatisfy { component in
      guard let first = component.utf8.first, let last = component.utf8.last else { return false }
      return isAlphanumeric(first) && isAlphanumeric(last)
        && component.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }
  }
}
