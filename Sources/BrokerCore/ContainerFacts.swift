/// What was found in the directory that an extension may write to. Past a limit the counts are only a part of it.
public struct ContainerFacts: Hashable, Sendable {
  public var path: String
  public var bytes: Int
  public var files: Int
  /// It has a directory that cannot be looked into.
  public var isHidden: Bool

  public init(path: String, bytes: Int, files: Int, isHidden: Bool = false) {
    self.path = path
    self.bytes = bytes
    self.files = files
    self.isHidden = isHidden
  }

  /// What is too much, for people; nil where nothing is.
  public func excess(over limits: Limits) -> String? {
    if bytes > limits.containerBytes { return "more than \(limits.containerBytes) bytes" }
    if files > limits.containerFiles { return "more than \(limits.containerFiles) files" }
    return isHidden ? "a directory that cannot be looked into" : nil
  }
}
