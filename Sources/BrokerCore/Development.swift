internal import ExtensionInterfaces

/// A bundle that is in use as long as its author's connection lasts.
struct Development: Sendable {
  let request: RequestID
  let path: String
  /// Instances wait for a debugger.
  let waits: Bool
  /// It was read, and nothing is in its way.
  var isAccepted = false
  /// What its author was told that it is.
  var told: [AdminInterface.Extension] = []
  /// Lines that were left out, since the author's terminal is slow.
  var dropped = 0
}
