/// What an instance may use at most; nil: no bound of its own.
public struct ResourceBounds: Hashable, Sendable {
  /// Bytes, of all its processes together.
  public var memory: Int?
  public var processes: Int?
  /// As `cpu.weight` of control groups: 1 to 10,000, where 100 is what others have.
  public var cpuWeight: Int?
  /// Of each process.
  public var openFiles: Int?
  /// Bytes of one file.
  public var fileSize: Int?

  public init(
    memory: Int? = nil, processes: Int? = nil, cpuWeight: Int? = nil, openFiles: Int? = nil,
    fileSize: Int? = nil
  ) {
    self.memory = memory
    self.processes = processes
    self.cpuWeight = cpuWeight
    self.openFiles = openFiles
    self.fileSize = fileSize
  }

  /// The lower one of each.
  public func capped(by other: Self) -> Self {
    func lower(_ key: KeyPath<Self, Int?>) -> Int? {
      switch (self[keyPath: key], other[keyPath: key]) {
      case (let own?, let cap?): min(own, cap)
      case (let own, let cap): own ?? cap
      }
    }
    return Self(
      memory: lower(\.memory), processes: lower(\.processes), cpuWeight: lower(\.cpuWeight),
      openFiles: lower(\.openFiles), fileSize: lower(\.fileSize))
  }
}
