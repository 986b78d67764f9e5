/// Why bytes are not a JSON text that this parser accepts.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where, in bytes from the start.
  public let offset: Int
  /// What is wrong there.
  public let message: String

  /// One sentence for people.
  public var description: String { "At byte \(offset): \(message)" }
}
