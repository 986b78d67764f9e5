import Varlink

/// What the SDK adds: a protocol for whoever answers, and a proxy for whoever asks.
extension InterfaceEmitter {
  mutating func emitService() {
    let methods = Self.methods(of: interface)
    out.gap()
    out.documentation([
      "Answers the calls of this interface. Every call of a peer is served after the one before it."
    ])
    out.open("public protocol Service: \(swift("Sendable")) {")
    for method in methods {
      out.documentation(method.documentation)
      out.line(signature(of: method))
    }
    out.close()
    out.gap()
    out.line("public typealias Exported = any Service")
    emitProxy(methods)
    emitConformance(methods)
  }

  private mutating func emitProxy(_ methods: [InterfaceDescription.Member]) {
    out.gap()
    out.documentation(["The service of the peer."])
    out.open("public struct Proxy: Service {")
    out.line("private let connection: AppExtensionConnection")
    out.gap()
    out.open("init(connection: AppExtensionConnection) {")
    out.line("self.connection = connection")
    out.close()
    for method in methods {
      guard case .method(let input, let output) = method.kind else { continue }
      out.gap()
      out.documentation(method.documentation)
      out.open("public \(signature(of: method)) {")
      let fields = input.map { "\($0.name): \(SwiftName.escaped($0.name))" }.joined(separator: ", ")
      let call = "try await self.connection.call(\(typeName).\(method.name)(\(fields)), of: \(typeName).self)"
      switch output.count {
      case 0: out.line("_ = \(call)")
      case 1: out.line("return \(call).\(SwiftName.escaped(output[0].name))")
      default: out.line("return \(call)")
      }
      out.close()
    }
    out.close()
  }

  private mutating func emitConformance(_ methods: [InterfaceDescription.Member]) {
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
    out.line("_ call: \(varlink("VarlinkCall")), by object: any Service")
    out.closeAndOpen(") async throws -> \(varlink("VarlinkReply"))? {")
    out.line("switch call.method {")
    for method in methods { emitAnswer(method) }
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

  private mutating func emitAnswer(_ method: InterfaceDescription.Member) {
    guard case .method(let input, let output) = method.kind else { return }
    let name = "\(typeName).\(method.name)"
    out.open("case \(name).name:")
    let decoding = "try \(name)(object: call.parameters, unknownMembers: .refused)"
    out.line(input.isEmpty ? "_ = \(decoding)" : "let input = \(decoding)")
    let arguments = input.map { "\($0.name): input.\(SwiftName.escaped($0.name))" }.joined(separator: ", ")
    let call = "try await object.\(function(method))(\(arguments))"
    switch output.count {
    case 0:
      out.line(call)
      out.line("return \(name).Reply().reply")
    case 1: out.line("return \(name).Reply(\(output[0].name): \(call)).reply")
    default: out.line("return \(call).reply")
    }
    out.dedent()
  }

  private func function(_ method: InterfaceDescription.Member) -> String {
    SwiftName.escaped(SwiftName.lowercased(method.name))
  }

  /// A method with one output returns that, one with several its `Reply`.
  private func signature(of method: InterfaceDescription.Member) -> String {
    guard case .method(let input, let output) = method.kind else { return "" }
    func type(_ field: InterfaceDescription.Field, in outer: String) -> String {
      spelling(of: field.shape, anonymous: "\(outer).\(SwiftName.capitalized(field.name))")
    }
    let parameters = input.map {
      "\(SwiftName.escaped($0.name)): \(type($0, in: "\(typeName).\(method.name)"))"
    }
    let result =
      switch output.count {
      case 0: ""
      case 1: " -> \(type(output[0], in: "\(typeName).\(method.name).Reply"))"
      default: " -> \(typeName).\(method.name).Reply"
      }
    return "func \(function(method))(\(parameters.joined(separator: ", "))) async throws\(result)"
  }
}
