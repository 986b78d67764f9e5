/// Why no Swift can be made of a description.
public struct GeneratorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, with line and column where there is one.
  public let path: String
  public let message: String

  /// As compilers print errors, so that build tools show them in place.
  public var description: String { "\(path): error: \(message)" }
}
