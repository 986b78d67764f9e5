import Varlink

extension InterfaceEmitter {
  /// Writes a structure or an enumeration.
  mutating func emitType(_ name: String, _ shape: InterfaceDescription.Shape) {
    switch shape {
    case .enumeration(let cases):
      out.open(
        "public enum \(name): \(swift("String")), \(swift("CaseIterable")), \(swift("Sendable")), "
          + "\(varlink("VarlinkValue")) {")
      for element in cases {
        out.documentation(element.documentation)
        out.line("case \(SwiftName.escaped(element.name))")
      }
      out.close()
    case .structure(let fields):
      out.open("public struct \(name): \(varlink("VarlinkStructure")) {")
      emitStructureBody(fields)
      out.close()
    default:
      break
    }
  }

  /// Writes what is between the braces: fields, types of fields, and how to make, read and write it.
  mutating func emitStructureBody(_ fields: [InterfaceDescription.Field]) {
    for field in fields {
      out.documentation(field.documentation)
      out.line("public var \(declaration(of: field))")
    }
    for field in fields {
      guard let shape = field.shape.anonymous else { continue }
      out.gap()
      emitType(SwiftName.capitalized(field.name), shape)
    }
    emitMemberwiseInit(fields)
    emitDecoding(fields)
    emitEncoding(fields)
  }

  private func declaration(of field: InterfaceDescription.Field) -> String {
    let type = spelling(of: field.shape, anonymous: SwiftName.capitalized(field.name))
    return "\(SwiftName.escaped(field.name)): \(type)"
  }

  private mutating func emitMemberwiseInit(_ fields: [InterfaceDescription.Field]) {
    out.gap()
    let parameters = fields.map { declaration(of: $0) + ($0.shape.isNullable ? " = nil" : "") }
    let line = "public init(\(parameters.joined(separator: ", "))) {"
    if fields.isEmpty {
      out.line(line + "}")
      return
    }
    if line.count <= out.roomInLine {
      out.open(line)
    } else {
      out.open("public init(")
      for (index, parameter) in parameters.enumerated() {
        out.line(parameter + (index + 1 < parameters.count ? "," : ""))
      }
      out.closeAndOpen(") {")
    }
    for field in fields {
      out.line("self.\(SwiftName.escaped(field.name)) = \(SwiftName.escaped(field.name))")
    }
    out.close()
  }

  private mutating func emitDecoding(_ fields: [InterfaceDescription.Field]) {
    out.gap()
    out.open(
      "public init(object: \(varlink("JSONObject")), unknownMembers: \(varlink("UnknownMembers"))) "
        + "throws(\(varlink("VarlinkDecodingError"))) {")
    let known = fields.map { SwiftName.literal($0.name) }
    let check = "if unknownMembers == .refused { try object.refuseMembers(otherThan: "
    if check.count + known.joined(separator: ", ").count + 5 <= out.roomInLine {
      out.line("\(check)[\(known.joined(separator: ", "))]) }")
    } else {
      out.open("if unknownMembers == .refused {")
      out.open("try object.refuseMembers(otherThan: [")
      for name in known { out.line("\(name),") }
      out.close("])")
      out.close()
    }
    for field in fields {
      out.line(
        "self.\(SwiftName.escaped(field.name)) = try object.field(\(SwiftName.literal(field.name)), unknownMembers)"
      )
    }
    out.close()
  }

  private mutating func emitEncoding(_ fields: [InterfaceDescription.Field]) {
    out.gap()
    let head = "public func writeMembers(to writer: inout \(varlink("JSONWriter"))) {"
    if fields.isEmpty {
      out.line(head + "}")
      return
    }
    out.open(head)
    for field in fields {
      let method = field.shape.isNullable ? "optionalMember" : "member"
      // Varlink's names are letters, digits and underscores: nothing is to be escaped.
      out.line(
        "writer.\(method)(encoded: \"\\\"\(field.name)\\\":\", self.\(SwiftName.escaped(field.name)))")
    }
    out.close()
  }
}
