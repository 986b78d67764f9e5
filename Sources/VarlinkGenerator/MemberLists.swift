internal import Varlink

/// Writes the enumerations over all methods and all errors of an interface.
struct MemberLists {
  let interface: InterfaceDescription

  func write(to out: inout SwiftText) {
    let methods = interface.members.filter { if case .method = $0.kind { true } else { false } }.map(\.name)
    let errors = interface.members.filter { if case .error = $0.kind { true } else { false } }.map(\.name)
    if !methods.isEmpty { writeCalls(methods, to: &out) }
    if !errors.isEmpty { writeFailures(errors, to: &out) }
  }

  private func writeCalls(_ methods: [String], to out: inout SwiftText) {
    out.line("")
    out.documentation(["A call of one of this interface's methods."])
    out.open("public enum Call: Hashable, Sendable")
    for name in methods { out.line("case \(escaped(lowercasedFirst(name)))(\(name))") }
    out.line("")
    out.documentation(["nil for a method that this interface does not have. Unknown parameters are refused."])
    out.open("public init?(_ call: VarlinkCall) throws(VarlinkDecodingError)")
    out.line("switch call.method {")
    for name in methods {
      out.line("case \(name).name:")
      out.line(
        "  self = .\(lowercasedFirst(name))(try \(name)(object: call.parameters, unknownMembers: .refused))")
    }
    out.line("default: return nil")
    out.line("}")
    out.close()
    out.close()
  }

  private func writeFailures(_ errors: [String], to out: inout SwiftText) {
    out.line("")
    out.documentation(["One of this interface's errors."])
    out.open("public enum Failure: Error, Hashable, Sendable")
    for name in errors { out.line("case \(escaped(lowercasedFirst(name)))(\(name))") }
    out.line("")
    out.documentation(["nil for a reply that is none of these errors."])
    out.open("public init?(_ reply: VarlinkReply) throws(VarlinkDecodingError)")
    out.line("switch reply.error {")
    for name in errors {
      out.line("case \(name).name:")
      out.line(
        "  self = .\(lowercasedFirst(name))(try \(name)(object: reply.parameters, unknownMembers: .ignored))")
    }
    out.line("default: return nil")
    out.line("}")
    out.close()
    out.close()
  }
}
