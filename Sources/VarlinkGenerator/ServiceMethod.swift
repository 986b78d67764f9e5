import Varlink

/// How a method looks to whoever implements or calls it in Swift.
struct ServiceMethod {
  /// How many answers a call has.
  enum Answers {
    case one
    /// The comment says `[Requires 'more' flag]`.
    case many
    /// The comment says `[Requires 'oneway' flag]`.
    case none
  }

  let name: String
  let documentation: [String]
  let input: [InterfaceDescription.Field]
  let output: [InterfaceDescription.Field]
  let answers: Answers

  init?(_ member: InterfaceDescription.Member) {
    guard case .method(let input, let output) = member.kind else { return nil }
    name = member.name
    documentation = member.documentation
    self.input = input
    self.output = output
    func says(_ flag: String) -> Bool {
      member.documentation.contains { $0.contains("[Requires '\(flag)' flag]") }
    }
    answers = says("more") ? .many : says("oneway") ? .none : .one
  }

  /// The function in Swift.
  var function: String { SwiftName.escaped(SwiftName.lowercased(name)) }

  var hasDescriptors: Bool { sendsDescriptors || answersDescriptors }
  var sendsDescriptors: Bool { input.contains(where: \.isDescriptor) }
  var answersDescriptors: Bool { output.contains(where: \.isDescriptor) }

  /// What cannot be, and how to mend it.
  var problem: String? {
    switch answers {
    case .none where !output.isEmpty:
      "'\(name)' is oneway, so nobody gets what it returns. Take its outputs or its flag away."
    case .many where answersDescriptors:
      "'\(name)' answers many times, which cannot bring descriptors. Send a socket along, or ask for each."
    default: nil
    }
  }
}

extension InterfaceDescription.Field {
  /// It names a descriptor of its message by its place, as systemd's interfaces do.
  var isDescriptor: Bool {
    guard name == "fileDescriptor" || name.hasSuffix("FileDescriptor") else { return false }
    return shape == .int || shape == .nullable(.int)
  }
}
