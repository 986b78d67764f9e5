/// A value that does not have the type that its interface declares.
public struct VarlinkDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What can be wrong with a value.
  public enum Problem: Hashable, Sendable {
    /// The value is of another kind. A field that is missing counts as null.
    case mismatch(expected: String, found: String)
    /// The structure has no such field.
    case unknownMember
  }

  /// The way to the value, like `current.distance` or `problems[2].check`. Empty for the whole value.
  public private(set) var path: String
  /// What is wrong with it.
  public let problem: Problem

  /// An error at a path.
  public init(path: String = "", problem: Problem) {
    self.path = path
    self.problem = problem
  }

  init(expected: String, found: JSON) {
    self.init(problem: .mismatch(expected: expected, found: found.kind))
  }

  /// One sentence for people, which names the field.
  public var description: String {
    let subject = path.isEmpty ? "The value" : "'\(path)'"
    switch problem {
    case .mismatch(let expected, let found): return "\(subject) must be \(expected), not \(found)."
    case .unknownMember: return "\(subject) is not a field that the interface declares."
    }
  }

  /// The same error, seen from the structure whose field the value is in.
  func inside(_ field: String) -> VarlinkDecodingError {
    var error = self
    error.path = path.isEmpty || path.first == "[" ? field + path : "\(field).\(path)"
    return error
  }
}
