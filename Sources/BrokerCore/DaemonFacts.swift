public import ExtensionInterfaces

/// What only the process around the broker knows; refreshed before each Status.
public struct DaemonFacts: Sendable {
  public var version = ""
  public var processID = 0
  /// Milliseconds since 1970.
  public var since: Int64 = 0
  public var roots: [AdminInterface.Root] = []
  public var descriptors = 0
  public var warnings: [String] = []

  public init() {}
}
