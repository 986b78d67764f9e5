import Varlink

extension InterfaceEmitter {
  /// Writes the enumeration of all calls, by which a service tells them apart.
  mutating func emitCall() {
    let methods = Self.methods(of: interface)
    guard !methods.isEmpty else { return }
    out.gap()
    out.documentation(["A call of one of the methods."])
    out.open("public enum Call: \(swift("Hashable")), \(swift("Sendable")) {")
    emitCases(methods)
    out.gap()
    out.documentation(["Reads a call, strictly. Nil if this interface has no such method."])
    out.open(
      "public init?(_ call: \(varlink("VarlinkCall"))) throws(\(varlink("VarlinkDecodingError"))) {")
    emitSwitch(over: "call.method", methods, parameters: "call.parameters", unknownMembers: ".refused")
    out.close()
    out.close()
  }

  /// Writes the enumeration of all errors, by which a client tells them apart.
  mutating func emitFailure() {
    let errors = Self.errors(of: interface)
    guard !errors.isEmpty else { return }
    out.gap()
    out.documentation(["An error of this interface."])
    out.open("public enum Failure: \(swift("Error")), \(swift("Hashable")), \(swift("Sendable")) {")
    emitCases(errors)
    out.gap()
    out.documentation(["Reads the error of a reply. Nil if the reply has none, or none of this interface."])
    out.open(
      "public init?(_ reply: \(varlink("VarlinkReply"))) throws(\(varlink("VarlinkDecodingError"))) {")
    emitSwitch(over: "reply.error", errors, parameters: "reply.parameters", unknownMembers: ".ignored")
    out.close()
    out.close()
  }

  private mutating func emitCases(_ members: [InterfaceDescription.Member]) {
    for member in members {
      out.line("case \(SwiftName.escaped(SwiftName.lowercased(member.name)))(\(reference(member.name)))")
    }
  }

  private mutating func emitSwitch(
    over subject: String, _ members: [InterfaceDescription.Member], parameters: String, unknownMembers: String
  ) {
    out.line("switch \(subject) {")
    for member in members {
      let name = reference(member.name)
      let element = SwiftName.escaped(SwiftName.lowercased(member.name))
      out.open("case \(name).name:")
      out.line("self = .\(element)(try \(name)(object: \(parameters), unknownMembers: \(unknownMembers)))")
      out.dedent()
    }
    out.line("default: return nil")
    out.line("}")
  }

  private func reference(_ name: String) -> String {
    spelling(of: .named(name), anonymous: name)
  }
}
