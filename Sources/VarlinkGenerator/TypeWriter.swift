internal import Varlink

/// Writes the types of one interface.
struct TypeWriter {
  typealias Field = InterfaceDescription.Field
  typealias TypeExpression = InterfaceDescription.TypeExpression

  let interface: InterfaceDescription

  func declare(
    _ name: String, _ type: TypeExpression, documentation: [String], conformance: String, in out: inout SwiftText
  ) {
    switch type {
    case .structure(let fields):
      out.documentation(documentation)
      out.open("public struct \(escaped(name)): \(conformance)")
      body(fields, in: &out)
      out.close()
    case .enumeration(let cases):
      out.documentation(documentation)
      out.open("public enum \(escaped(name)): String, CaseIterable, Hashable, Sendable, VarlinkValue")
      for value in cases {
        out.documentation(value.documentation)
        out.line("case \(escaped(value.name))")
      }
      out.close()
    default: break
    }
  }

  func declareMethod(
    _ member: InterfaceDescription.Member, input: [Field], output: [Field], in out: inout SwiftText
  ) {
    out.documentation(member.documentation)
    out.open("public struct \(member.name): VarlinkMethod")
    out.line("public static let name = \"\(interface.name).\(member.name)\"")
    body(input, in: &out)
    out.line("")
    declare("Reply", .structure(output), documentation: [], conformance: "VarlinkStructure", in: &out)
    out.close()
  }

  func declareError(_ member: InterfaceDescription.Member, _ fields: [Field], in out: inout SwiftText) {
    out.documentation(member.documentation)
    out.open("public struct \(member.name): VarlinkErrorReply")
    out.line("public static let name = \"\(interface.name).\(member.name)\"")
    body(fields, in: &out)
    out.close()
  }

  private func body(_ fields: [Field], in out: inout SwiftText) {
    for field in fields {
      out.documentation(field.documentation)
      out.line("public var \(escaped(field.name)): \(swift(field.type, field: field.name))")
    }
    for field in fields {
      guard let anonymous = anonymous(field.type) else { continue }
      out.line("")
      declare(
        capitalised(field.name), anonymous, documentation: field.documentation, conformance: "VarlinkStructure",
        in: &out)
    }
    out.line("")
    initialiser(fields, in: &out)
    out.line("")
    out.open(
      "public init(object: JSONObject, unknownMembers: UnknownMembers) throws(VarlinkDecodingError)")
    if fields.isEmpty {
      out.line("if unknownMembers == .refused { try object.refuseMembers(otherThan: []) }")
    } else {
      let names = fields.map { "\"\($0.name)\"" }.joined(separator: ", ")
      out.line("if unknownMembers == .refused { try object.refuseMembers(otherThan: [\(names)]) }")
    }
    for field in fields {
      out.line("self.\(field.name) = try object.field(\"\(field.name)\", unknownMembers)")
    }
    out.close()
    out.line("")
    out.open("public func writeMembers(to writer: inout JSONWriter)")
    for field in fields {
      let function = if case .optional = field.type { "optionalMember" } else { "member" }
      out.line("writer.\(function)(\"\(field.name)\", self.\(field.name))")
    }
    out.close()
  }

  private func initialiser(_ fields: [Field], in out: inout SwiftText) {
    guard !fields.isEmpty else { return out.line("public init() {}") }
    let parameters = fields.map { field in
      let type = swift(field.type, field: field.name)
      return "\(field.name): \(type)" + (type.hasSuffix("?") ? " = nil" : "")
    }
    out.open("public init(\(parameters.joined(separator: ", ")))")
    for field in fields { out.line("self.\(field.name) = \(escaped(field.name))") }
    out.close()
  }

  /// The struct or enum without a name inside a field's type.
  private func anonymous(_ type: TypeExpression) -> TypeExpression? {
    switch type {
    case .structure([]) : type
    case .structure, .enumeration: type
    case .dictionary(.structure([])): nil
    case .array(let element), .dictionary(let element), .optional(let element): anonymous(element)
    default: nil
    }
  }

  private func swift(_ type: TypeExpression, field: String) -> String {
    switch type {
    case .bool: "Bool"
    case .int: "Int"
    case .float: "Double"
    case .string: "String"
    case .object: "JSONObject"
    case .any: "JSON"
    case .named(let name): name
    case .structure, .enumeration: escaped(capitalised(field))
    case .array(let element): "[\(swift(element, field: field))]"
    case .dictionary(.structure([])): "Set<String>"
    case .dictionary(let element): "[String: \(swift(element, field: field))]"
    case .optional(let element): swift(element, field: field) + "?"
    }
  }
}
