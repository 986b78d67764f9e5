extension InterfaceDescription: CustomStringConvertible {
  /// The description in canonical form. Reading it gives the same interface; comments that document nothing
  /// are not kept.
  public var description: String {
    let interface = Self.comment(documentation, "") + "interface \(name)\n"
    return ([interface] + members.map { Self.comment($0.documentation, "") + "\($0)\n" })
      .joined(separator: "\n")
  }

  fileprivate static func comment(_ lines: [String], _ indentation: String) -> String {
    lines.map { "\(indentation)#\($0.isEmpty ? "" : " ")\($0)\n" }.joined()
  }
}

extension InterfaceDescription.Member: CustomStringConvertible {
  /// The declaration, without its documentation.
  public var description: String {
    switch kind {
    case .type(let shape):
      let head = "type \(name) "
      return head + shape.text(column: head.count, indentation: "")
    case .error(let fields):
      let head = "error \(name) "
      return head + InterfaceDescription.Shape.structure(fields).text(column: head.count, indentation: "")
    case .method(let input, let output):
      let head = "method \(name)"
      let first = InterfaceDescription.Shape.structure(input).text(column: head.count, indentation: "")
      let last = first.split(separator: "\n").last ?? ""
      let column = (first.contains("\n") ? 0 : head.count) + last.count + 4
      let second = InterfaceDescription.Shape.structure(output).text(column: column, indentation: "")
      return "\(head)\(first) -> \(second)"
    }
  }
}

extension InterfaceDescription.Shape: CustomStringConvertible {
  private static let lineLength = 100

  /// The type in one line, without documentation.
  public var description: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .string: "string"
    case .object: "object"
    case .any: "any"
    case .named(let name): name
    case .array(let element): "[]\(element)"
    case .dictionary(let value): "[string]\(value)"
    case .nullable(let wrapped): "?\(wrapped)"
    case .structure(let fields):
      "(\(fields.map { "\($0.name): \($0.shape)" }.joined(separator: ", ")))"
    case .enumeration(let cases): "(\(cases.map(\.name).joined(separator: ", ")))"
    }
  }

  /// The type in one line if there is room and nothing to document, else a line for each field.
  fileprivate func text(column: Int, indentation: String) -> String {
    let line = description
    if !isDocumented && column + line.count < Self.lineLength { return line }
    let deeper = indentation + "  "
    switch self {
    case .array(let element): return "[]" + element.text(column: column, indentation: indentation)
    case .dictionary(let value): return "[string]" + value.text(column: column, indentation: indentation)
    case .nullable(let wrapped): return "?" + wrapped.text(column: column, indentation: indentation)
    case .structure(let fields) where !fields.isEmpty:
      let lines = fields.map { field in
        let head = "\(deeper)\(field.name): "
        return InterfaceDescription.comment(field.documentation, deeper) + head
          + field.shape.text(column: head.count, indentation: deeper)
      }
      return "(\n\(lines.joined(separator: ",\n"))\n\(indentation))"
    case .enumeration(let cases):
      let lines = cases.map { InterfaceDescription.comment($0.documentation, deeper) + deeper + $0.name }
      return "(\n\(lines.joined(separator: ",\n"))\n\(indentation))"
    default: return line
    }
  }

  private var isDocumented: Bool {
    switch self {
    case .array(let inner), .dictionary(let inner), .nullable(let inner): inner.isDocumented
    case .structure(let fields): fields.contains { !$0.documentation.isEmpty || $0.shape.isDocumented }
    case .enumeration(let cases): cases.contains { !$0.documentation.isEmpty }
    default: false
    }
  }
}
