import Varlink

/// What the SDK adds: a protocol for whoever answers, and a proxy for whoever asks.
extension InterfaceEmitter {
  var serviceMethods: [ServiceMethod] { interface.members.compactMap(ServiceMethod.init) }

  mutating func emitService() {
    out.gap()
    out.documentation([
      "Answers the calls of this interface. Every call of a peer is served after the one before it."
    ])
    out.open("public protocol Service: \(swift("Sendable")) {")
    for method in serviceMethods {
      out.documentation(method.documentation)
      out.line(signature(of: method))
    }
    out.close()
    out.gap()
    out.line("public typealias Exported = any Service")
    emitProxy()
    emitConformance()
  }

  private mutating func emitProxy() {
    out.gap()
    out.documentation(["The service of the peer."])
    out.open("public struct Proxy: Service {")
    out.line("private let connection: AppExtensionConnection")
    out.gap()
    out.open("init(connection: AppExtensionConnection) {")
    out.line("self.connection = connection")
    out.close()
    for method in serviceMethods {
      out.gap()
      out.documentation(method.documentation)
      out.open("public \(signature(of: method)) {")
      emitCall(of: method)
      out.close()
    }
    out.close()
  }

  // Names that begin with an underscore are none of Varlink's, so no parameter has them.

  private mutating func emitCall(of method: ServiceMethod) {
    if method.sendsDescriptors { out.line("var _descriptors = AppExtensionDescriptors()") }
    let fields = method.input.map { field in
      let name = SwiftName.escaped(field.name)
      return "\(field.name): \(field.isDescriptor ? "_descriptors.add(\(name))" : name)"
    }
    let call = "\(typeName).\(method.name)(\(fields.joined(separator: ", ")))"
    let with = method.sendsDescriptors ? ", with: _descriptors" : ""
    switch method.answers {
    case .none:
      out.line("let _call = \(call)")
      out.line("try await self.connection.tell(_call\(with))")
    case .many:
      out.line("let _call = \(call)")
      let element = method.output.count == 1 ? "$0.\(SwiftName.escaped(method.output[0].name))" : "$0"
      out.line("return self.connection.stream(_call\(with), of: \(typeName).self) { \(element) }")
    case .one where method.hasDescriptors:
      out.line("let _call = \(call)")
      let with = method.sendsDescriptors ? "_descriptors" : "AppExtensionDescriptors()"
      let isUsed = !method.output.isEmpty
      out.line(
        "\(isUsed ? "let _answer" : "_") = try await self.connection.call(_call, with: \(with), of: \(typeName).self)"
      )
      if isUsed { out.line("return \(outputs(of: method))") }
    case .one:
      let call = "try await self.connection.call(\(call), of: \(typeName).self)"
      switch method.output.count {
      case 0: out.line("_ = \(call)")
      case 1: out.line("return \(call).\(SwiftName.escaped(method.output[0].name))")
      default: out.line("return \(call)")
      }
    }
  }

  /// What the caller gets of an answer that may bring descriptors.
  private func outputs(of method: ServiceMethod) -> String {
    guard method.answersDescriptors else {
      return method.output.count == 1
        ? "_answer.reply.\(SwiftName.escaped(method.output[0].name))" : "_answer.reply"
    }
    let values = method.output.map { field in
      let value = "_answer.reply.\(SwiftName.escaped(field.name))"
      return field.isDescriptor
        ? "try _answer.descriptors.descriptor(\(value), \(SwiftName.literal(field.name)))" : value
    }
    if values.count == 1 { return values[0] }
    return "(\(zip(method.output, values).map { "\($0.name): \($1)" }.joined(separator: ", ")))"
  }

  private mutating func emitConformance() {
    out.gap()
    out.open("public static func makeProxy(for connection: AppExtensionConnection) -> Proxy {")
    out.line("Proxy(connection: connection)")
    out.close()
    out.gap()
    out.open("public static func cast(_ object: any \(swift("Sendable"))) -> (any Service)? {")
    out.line("object as? any Service")
    out.close()
    out.gap()
    out.open("public static func answer(")
    out.line("_ call: AppExtensionCall, by object: any Service")
    out.closeAndOpen(") async throws -> AppExtensionAnswer? {")
    out.line("switch call.message.method {")
    for method in serviceMethods { emitAnswer(method) }
    out.line("default: return nil")
    out.line("}")
    out.close()
    out.gap()
    out.open(
      "public static func failure(of reply: \(varlink("VarlinkReply"))) -> (any \(swift("Error")))? {")
    out.line("switch reply.error {")
    for error in Self.errors(of: interface) {
      out.open("case \(typeName).\(error.name).name:")
      out.line("return try? \(typeName).\(error.name)(object: reply.parameters, unknownMembers: .ignored)")
      out.dedent()
    }
    out.line("default: return nil")
    out.line("}")
    out.close()
  }

  private mutating func emitAnswer(_ method: ServiceMethod) {
    let name = "\(typeName).\(method.name)"
    out.open("case \(name).name:")
    let decoding = "try \(name)(object: call.message.parameters, unknownMembers: .refused)"
    out.line(method.input.isEmpty ? "_ = \(decoding)" : "let input = \(decoding)")
    let arguments = method.input.map { field in
      let value = "input.\(SwiftName.escaped(field.name))"
      return field.isDescriptor
        ? "\(field.name): try call.descriptor(\(value), \(SwiftName.literal(field.name)))"
        : "\(field.name): \(value)"
    }
    let call = "try await object.\(method.function)(\(arguments.joined(separator: ", ")))"
    switch method.answers {
    case .many:
      let reply = method.output.count == 1 ? "\(name).Reply(\(method.output[0].name): $0)" : "$0"
      out.line("return try await call.answer(with: \(call)) { \(reply) }")
    case .one where method.answersDescriptors:
      out.line("let output = \(call)")
      out.line("var descriptors = AppExtensionDescriptors()")
      let fields = method.output.map { field in
        let value = method.output.count == 1 ? "output" : "output.\(SwiftName.escaped(field.name))"
        return "\(field.name): \(field.isDescriptor ? "descriptors.add(\(value))" : value)"
      }
      out.line("let reply = \(name).Reply(\(fields.joined(separator: ", "))).reply")
      out.line("return AppExtensionAnswer(reply, descriptors: descriptors)")
    case .one, .none:
      switch method.output.count {
      case 0:
        out.line(call)
        out.line("return AppExtensionAnswer(\(name).Reply().reply)")
      case 1: out.line("return AppExtensionAnswer(\(name).Reply(\(method.output[0].name): \(call)).reply)")
      default: out.line("return AppExtensionAnswer(\(call).reply)")
      }
    }
    out.dedent()
  }

  /// A method with one output returns that, one with several its `Reply`; with descriptors among them a tuple.
  func signature(of method: ServiceMethod) -> String {
    func type(_ field: InterfaceDescription.Field, in outer: String) -> String {
      if field.isDescriptor { return field.shape.isNullable ? "SharedDescriptor?" : "SharedDescriptor" }
      return spelling(of: field.shape, anonymous: "\(outer).\(SwiftName.capitalized(field.name))")
    }
    let name = "\(typeName).\(method.name)"
    let parameters = method.input.map { "\(SwiftName.escaped($0.name)): \(type($0, in: name))" }
    var result =
      switch method.output.count {
      case 1: type(method.output[0], in: "\(name).Reply")
      case 2... where method.answersDescriptors:
        "(\(method.output.map { "\($0.name): \(type($0, in: "\(name).Reply"))" }.joined(separator: ", ")))"
      default: "\(name).Reply"
      }
    if method.answers == .many { result = "AppExtensionStream<\(result)>" }
    let returns = method.output.isEmpty && method.answers != .many ? "" : " -> \(result)"
    return "func \(method.function)(\(parameters.joined(separator: ", "))) async throws\(returns)"
  }
}
