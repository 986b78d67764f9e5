/// When something happened. The broker has no clock of its own: whoever hands it an event says when.
public struct Moment: Hashable, Sendable {
  /// Milliseconds of a clock that never goes back. All deadlines are in it.
  public var monotonic: Int64
  /// Milliseconds since 1970, for people.
  public var wall: Int64

  public init(monotonic: Int64, wall: Int64) {
    self.monotonic = monotonic
    self.wall = wall
  }
}
