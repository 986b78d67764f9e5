import Varlink

/// Finds names that are good in Varlink and cannot be told apart, or not be expressed, in Swift.
struct NameCheck {
  /// Names that the generated types or the language need for themselves.
  private static let reserved: Set<String> = [
    "Any", "Call", "Failure", "Protocol", "Reply", "Self", "Swift", "Type", "Varlink",
  ]

  private static let reservedInSDK: Set<String> = [
    "AppExtensionAnswer", "AppExtensionCall", "AppExtensionConnection", "AppExtensionDescriptors",
    "AppExtensionInterface", "AppExtensionStream", "Exported", "Proxy", "Service", "SharedDescriptor",
  ]

  private let interface: InterfaceDescription
  private let reserved: Set<String>
  private let isForSDK: Bool

  init(_ interface: InterfaceDescription, isForSDK: Bool = false) {
    self.interface = interface
    self.isForSDK = isForSDK
    reserved = isForSDK ? Self.reserved.union(Self.reservedInSDK) : Self.reserved
  }

  /// What is wrong with the interface, and how to mend it.
  var problem: String? {
    if SwiftGenerator.typeName(interface: interface.name).first?.isNumber == true {
      return "The last part of '\(interface.name)' begins with a digit, so it cannot name a Swift type."
    }
    for member in interface.members {
      if let problem = problem(of: member) { return problem }
    }
    for kind in [InterfaceEmitter.methods(of: interface), InterfaceEmitter.errors(of: interface)] {
      if let twice = firstRepeated(kind.map { SwiftName.lowercased($0.name) }) {
        return "Two methods or errors would both become '\(twice)' in Swift. Rename one."
      }
    }
    return nil
  }

  private func problem(of member: InterfaceDescription.Member) -> String? {
    if reserved.contains(member.name) {
      return "'\(member.name)' means something else in the generated Swift. Rename it."
    }
    switch member.kind {
    case .type(let shape):
      var seen: Set<String> = []
      return contains(member.name, in: shape, seen: &seen)
        ? "The type '\(member.name)' contains itself, so it has no size in Swift. Put it in an array."
        : problem(in: shape, of: member.name)
    case .error(let fields):
      return problem(in: .structure(fields), of: member.name)
    case .method(let input, let output):
      return problem(in: .structure(input), of: member.name)
        ?? problem(in: .structure(output), of: member.name)
        ?? (isForSDK ? ServiceMethod(member)?.problem : nil)
    }
  }

  private func problem(in shape: InterfaceDescription.Shape, of name: String) -> String? {
    guard case .structure(let fields) = shape else { return nil }
    if fields.contains(where: { $0.name == "self" }) {
      return "A field of '\(name)' is called 'self', which always means something else in Swift. Rename it."
    }
    let anonymous = fields.filter { $0.shape.anonymous != nil }
    let names = anonymous.map { SwiftName.capitalized($0.name) }
    if let name = firstRepeated(names) ?? names.first(where: reserved.contains) {
      return "The type without a name of a field of '\(name)' cannot become '\(name)'. Give it a name."
    }
    for field in anonymous {
      if let inner = field.shape.anonymous, let problem = problem(in: inner, of: name) { return problem }
    }
    return nil
  }

  /// Whether a value of the shape holds one of the type directly. Arrays and dictionaries keep theirs elsewhere. `seen`: the
  /// types that were followed already; one that is named in many ways is followed once.
  private func contains(
    _ name: String, in shape: InterfaceDescription.Shape, seen: inout Set<String>
  ) -> Bool {
    switch shape {
    case .nullable(let inner): return contains(name, in: inner, seen: &seen)
    case .structure(let fields):
      for field in fields where contains(name, in: field.shape, seen: &seen) { return true }
      return false
    case .named(let other):
      if other == name { return true }
      guard seen.insert(other).inserted, case .type(let inner)? = interface.member(other)?.kind else {
        return false
      }
      return contains(name, in: inner, seen: &seen)
    default: return false
    }
  }

  private func firstRepeated(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
  }
}
