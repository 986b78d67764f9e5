/// Why a text is not the description of an interface.
public struct InterfaceDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// In characters (Unicode scalars), counted from 1.
  public let column: Int
  /// What is wrong, in one sentence.
  public let message: String

  /// `line:column: message`, as compilers print it.
  public var description: String { "\(line):\(column): \(message)" }
}
