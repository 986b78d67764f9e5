public import Varlink

/// Makes Swift of interface descriptions that belong together: a type that two of them share is declared once.
public struct SwiftGenerator {
  public struct Source {
    public let description: InterfaceDescription
    public let text: String

    public init(parsing text: String) throws(DescriptionError) {
      description = try InterfaceDescription(parsing: text)
      self.text = text
    }
  }

  private let sources: [Source]
  /// The module that declares the protocols; empty inside that module itself.
  private let imports: String

  public init(_ sources: [Source], imports: String = "public import Varlink") {
    self.sources = sources
    self.imports = imports
  }

  /// The name of the enumeration that holds an interface's types: `BrokerInterface` for `io.extensiond.Broker`.
  public static func typeName(_ interface: String) -> String {
    let words = (interface.split(separator: ".").last ?? "").split(separator: "-")
    return words.map(capitalised).joined() + "Interface"
  }

  /// The Swift of the interface at this index.
  public func generate(_ index: Int) -> String {
    let source = sources[index]
    let interface = source.description
    var out = SwiftText()
    out.line("// Made by varlink-generate from \(interface.name).varlink. Change that file instead.")
    out.line("")
    if !imports.isEmpty {
      out.line(imports)
      out.line("")
    }
    out.documentation(interface.documentation)
    out.open("public enum \(Self.typeName(interface.name)): VarlinkInterface")
    out.line("public static let name = \"\(interface.name)\"")
    out.line("public static let description = #\"\"\"")
    for line in source.text.split(separator: "\n", omittingEmptySubsequences: false) { out.raw("    " + line) }
    out.raw("    \"\"\"#")
    let types = TypeWriter(interface: interface)
    for member in interface.members {
      out.line("")
      switch member.kind {
      case .type(let type):
        if let owner = owner(of: member, before: index) {
          out.documentation(member.documentation)
          out.line("public typealias \(member.name) = \(Self.typeName(owner)).\(member.name)")
        } else {
          types.declare(member.name, type, documentation: member.documentation, conformance: "VarlinkStructure", in: &out)
        }
      case .method(let input, let output):
        types.declareMethod(member, input: input, output: output, in: &out)
      case .error(let fields):
        types.declareError(member, fields, in: &out)
      }
    }
    MemberLists(interface: interface).write(to: &out)
    out.close()
    return out.text
  }

  /// The interface before this one that declares the very same type.
  private func owner(of member: InterfaceDescription.Member, before index: Int) -> String? {
    for other in sources[..<index].map(\.description) {
      guard let same = other.members.first(where: { $0.name == member.name }), case .type(let theirs) = same.kind,
        case .type(let ours) = member.kind
      else { continue }
      if shape(theirs, in: other) == shape(ours, in: sources[index].description) { return other.name }
    }
    return nil
  }

  /// A type without its comments, and with the types that it names.
  private func shape(_ type: InterfaceDescription.TypeExpression, in interface: InterfaceDescription) -> String {
    var seen: Set<String> = []
    func describe(_ type: InterfaceDescription.TypeExpression) -> String {
      switch type {
      case .named(let name):
        guard seen.insert(name).inserted else { return name }
        for member in interface.members where member.name == name {
          if case .type(let definition) = member.kind { return "\(name)=\(describe(definition))" }
        }
        return name
      case .structure(let fields):
        return "(" + fields.map { "\($0.name):\(describe($0.type))" }.joined(separator: ",") + ")"
      case .enumeration(let cases): return "(" + cases.map(\.name).joined(separator: ",") + ")"
      case .array(let element): return "[]" + describe(element)
      case .dictionary(let element): return "[string]" + describe(element)
      case .optional(let element): return "?" + describe(element)
      default: return "\(type)"
      }
    }
    return describe(type)
  }
}

func capitalised(_ text: some StringProtocol) -> String { text.prefix(1).uppercased() + text.dropFirst() }

func lowercasedFirst(_ text: some StringProtocol) -> String { text.prefix(1).lowercased() + text.dropFirst() }

/// A name as it stands in Swift.
func escaped(_ name: String) -> String {
  let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
  return keywords.contains(name) ? "`\(name)`" : name
}
