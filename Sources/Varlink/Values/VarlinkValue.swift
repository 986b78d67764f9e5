/// A value of a Varlink type (UAPI.20, "Mapping the Type System to JSON").
public protocol VarlinkValue {
  /// Reads the value.
  ///
  /// - Throws: `VarlinkDecodingError`, which names the field that does not have the declared type.
  init(json: JSON, unknownMembers: UnknownMembers) throws(VarlinkDecodingError)

  /// Writes the value as JSON.
  func write(to writer: inout JSONWriter)
}

/// What becomes of members that a structure does not declare (UAPI.20, "Unknown Fields").
public enum UnknownMembers: Sendable {
  /// As a service does with the parameters of calls.
  case refused
  /// As a client does with replies, so that services can extend them.
  case ignored
}
