/// A message that breaks the protocol. There is no way to answer it: the connection must be closed (UAPI.20,
/// "Connection Lifecycle").
public struct VarlinkProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with the message.
  public let description: String

  /// An error that says in a sentence what is wrong with the message.
  public init(_ description: String) {
    self.description = description
  }
}
