import Varlink

extension InterfaceDescription.Shape {
  /// The structure or enumeration without a name that is in this type, and needs one in Swift.
  var anonymous: InterfaceDescription.Shape? {
    switch self {
    case .structure, .enumeration: self
    case .dictionary(.structure([])): nil
    case .array(let inner), .dictionary(let inner), .nullable(let inner): inner.anonymous
    default: nil
    }
  }

  var isNullable: Bool {
    if case .nullable = self { true } else { false }
  }
}

extension InterfaceDescription {
  /// Whether a type of this name means the same in both interfaces, whatever their comments say.
  func declaresAlike(_ name: String, as other: InterfaceDescription) -> Bool {
    var seen: Set<String> = []
    return alike(.named(name), .named(name), other, &seen)
  }

  private func alike(
    _ left: Shape, _ right: Shape, _ other: InterfaceDescription, _ seen: inout Set<String>
  ) -> Bool {
    switch (left, right) {
    case (.named(let name), .named(let otherName)):
      guard name == otherName else { return false }
      guard seen.insert(name).inserted else { return true }
      guard case .type(let mine)? = member(name)?.kind, case .type(let theirs)? = other.member(name)?.kind
      else {
        return false
      }
      return alike(mine, theirs, other, &seen)
    case (.structure(let mine), .structure(let theirs)):
      return mine.count == theirs.count
        && zip(mine, theirs).allSatisfy { $0.name == $1.name && alike($0.shape, $1.shape, other, &seen) }
    case (.enumeration(let mine), .enumeration(let theirs)):
      return mine.map(\.name) == theirs.map(\.name)
    case (.array(let mine), .array(let theirs)), (.dictionary(let mine), .dictionary(let theirs)),
      (.nullable(let mine), .nullable(let theirs)):
      return alike(mine, theirs, other, &seen)
    default:
      return left == right
    }
  }
}
