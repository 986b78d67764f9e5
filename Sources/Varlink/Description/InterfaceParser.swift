extension InterfaceDescription {
  /// Reads a description (UAPI.20, "Grammar") and checks that names are unique and that every type that is
  /// named exists.
  ///
  /// - Throws: `InterfaceDescriptionError`, with the line and the column.
  public init(parsing text: String) throws(InterfaceDescriptionError) {
    var parser = InterfaceParser(text)
    self = try parser.interface()
  }
}

/// Recursive descent over the grammar, one method a rule.
struct InterfaceParser {
  /// How deep types may be nested. Bounds the stack.
  static let maximumDepth = 32

  private var scanner: InterfaceScanner
  /// The members so far, and whether they are types.
  private var isType: [String: Bool] = [:]
  /// The types that were named, and where, to see in the end if they exist.
  private var references: [(name: String, position: InterfaceScanner.Position)] = []

  init(_ text: String) {
    scanner = InterfaceScanner(text)
  }

  mutating func interface() throws(InterfaceDescriptionError) -> InterfaceDescription {
    scanner.skipTrivia(atStart: true)
    let documentation = scanner.documentation
    let start = scanner.position
    guard keyword() == "interface" else {
      throw scanner.error("A description begins with 'interface' and a name.", at: start)
    }
    var interface = InterfaceDescription(
      name: try interfaceName(), documentation: documentation, members: [])
    while !scanner.isAtEnd {
      guard scanner.isOnNewLine else { throw scanner.error("Expected a line break after a declaration.") }
      let position = scanner.position
      let member = try member()
      guard isType[member.name] == nil else {
        throw scanner.error(
          "'\(member.name)' is declared already. Types, methods and errors share their names.", at: position)
      }
      isType[member.name] = if case .type = member.kind { true } else { false }
      interface.members.append(member)
    }
    guard !interface.members.isEmpty else {
      throw scanner.error("The interface declares nothing. It needs a type, method or error.")
    }
    try checkReferences()
    return interface
  }

  private func checkReferences() throws(InterfaceDescriptionError) {
    for reference in references where isType[reference.name] != true {
      throw scanner.error("There is no type '\(reference.name)'.", at: reference.position)
    }
  }

  private mutating func member() throws(InterfaceDescriptionError) -> InterfaceDescription.Member {
    let documentation = scanner.documentation
    let position = scanner.position
    let keyword = keyword()
    guard ["type", "method", "error"].contains(keyword) else {
      throw scanner.error("Expected 'type', 'method' or 'error'.", at: position)
    }
    let name = try memberName()
    let kind: InterfaceDescription.Member.Kind
    switch keyword {
    case "type":
      kind = .type(try parenthesized(depth: 1))
    case "method":
      let input = try structure()
      guard scanner.take("->") else { throw scanner.error("Expected '->' and what the method gives back.") }
      kind = .method(input: input, output: try structure())
    default:
      kind = .error(try structure())
    }
    return InterfaceDescription.Member(name: name, documentation: documentation, kind: kind)
  }

  private mutating func structure() throws(InterfaceDescriptionError) -> [InterfaceDescription.Field] {
    let position = scanner.position
    guard case .structure(let fields) = try parenthesized(depth: 1) else {
      throw scanner.error("Expected fields with types, like '(name: string)'.", at: position)
    }
    return fields
  }

  private mutating func type(depth: Int) throws(InterfaceDescriptionError) -> InterfaceDescription.Shape {
    guard depth <= Self.maximumDepth else {
      throw scanner.error("Types are nested more than \(Self.maximumDepth) deep.")
    }
    let position = scanner.position
    if scanner.take("[]") { return .array(try type(depth: depth + 1)) }
    if scanner.take("[string]") { return .dictionary(try type(depth: depth + 1)) }
    if scanner.take("?") {
      let shape = try type(depth: depth + 1)
      if case .nullable = shape { throw scanner.error("A type cannot be nullable twice.", at: position) }
      return .nullable(shape)
    }
    if scanner.next == "(" { return try parenthesized(depth: depth + 1) }
    let word = scanner.takeWhile(Self.isAlphanumeric)
    scanner.skipTrivia()
    switch word {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    case "any": return .any
    default: break
    }
    guard let first = word.unicodeScalars.first, ("A"..."Z").contains(first) else {
      throw scanner.error(word.isEmpty ? "Expected a type." : "There is no type '\(word)'.", at: position)
    }
    references.append((word, position))
    return .named(word)
  }

  /// Reads a structure or an enumeration: what follows the first name tells which. `()` is a structure.
  private mutating func parenthesized(depth: Int) throws(InterfaceDescriptionError)
    -> InterfaceDescription.Shape
  {
    guard depth <= Self.maximumDepth else {
      throw scanner.error("Types are nested more than \(Self.maximumDepth) deep.")
    }
    guard scanner.take("(") else { throw scanner.error("Expected '('.") }
    if scanner.take(")") { return .structure([]) }

    var fields: [InterfaceDescription.Field] = []
    var cases: [InterfaceDescription.Case] = []
    var names: Set<String> = []
    repeat {
      let documentation = scanner.documentation
      let position = scanner.position
      let name = try fieldName()
      guard names.insert(name).inserted else {
        throw scanner.error("'\(name)' occurs twice here.", at: position)
      }
      if scanner.next == ":", cases.isEmpty {
        _ = scanner.take(":")
        let shape = try type(depth: depth)
        fields.append(InterfaceDescription.Field(name: name, documentation: documentation, shape: shape))
      } else {
        guard fields.isEmpty else { throw scanner.error("Expected ':' and the type of '\(name)'.") }
        cases.append(InterfaceDescription.Case(name: name, documentation: documentation))
      }
    } while scanner.take(",")
    guard scanner.take(")") else { throw scanner.error("Expected ',' or ')'.") }
    return cases.isEmpty ? .structure(fields) : .enumeration(cases)
  }
}

// MARK: - Names

extension InterfaceParser {
  private mutating func keyword() -> String {
    let word = scanner.takeWhile(Self.isAlphanumeric)
    scanner.skipTrivia()
    return word
  }

  private mutating func interfaceName() throws(InterfaceDescriptionError) -> String {
    let position = scanner.position
    let name = scanner.takeWhile { Self.isAlphanumeric($0) || $0 == "-" || $0 == "." }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let areValid = parts.allSatisfy { !$0.isEmpty && $0.first != "-" && $0.last != "-" }
    guard parts.count >= 2, areValid, name.unicodeScalars.first.map(Self.isLetter) == true else {
      throw scanner.error(
        "An interface has a name of two or more parts, like 'org.example.ftl'.", at: position)
    }
    scanner.skipTrivia()
    guard scanner.isOnNewLine || scanner.isAtEnd else {
      throw scanner.error("Expected a line break after the name of the interface.")
    }
    return name
  }

  private mutating func memberName() throws(InterfaceDescriptionError) -> String {
    let position = scanner.position
    let name = scanner.takeWhile(Self.isAlphanumeric)
    guard let first = name.unicodeScalars.first, ("A"..."Z").contains(first) else {
      throw scanner.error("Expected a name of letters and digits that begins with a capital.", at: position)
    }
    scanner.skipTrivia()
    return name
  }

  private mutating func fieldName() throws(InterfaceDescriptionError) -> String {
    let position = scanner.position
    let name = scanner.takeWhile { Self.isAlphanumeric($0) || $0 == "_" }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard let first = name.unicodeScalars.first, Self.isLetter(first), !parts.contains("") else {
      throw scanner.error(
        "Expected the name of a field: letters and digits, with single '_' between.", at: position)
    }
    scanner.skipTrivia()
    return name
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
    isLetter(scalar) || ("0"..."9").contains(scalar)
  }
}
