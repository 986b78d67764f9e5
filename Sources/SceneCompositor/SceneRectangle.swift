/// A rectangle, in pixels that do not depend on a scale unless it is said otherwise.
public struct SceneRectangle: Hashable, Sendable {
  /// The left edge.
  public var x: Int
  /// The top edge.
  public var y: Int
  /// Never negative.
  public var width: Int
  /// Never negative.
  public var height: Int

  /// A rectangle; negative sizes are none.
  public init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// Whether it has no area.
  public var isEmpty: Bool { width == 0 || height == 0 }

  func contains(_ x: Double, _ y: Double) -> Bool {
    x >= Double(self.x) && y >= Double(self.y) && x < Double(self.x &+ width) && y < Double(self.y &+ height)
  }

  /// What both have; empty where there is nothing. Clients name any numbers, so nothing here overflows.
  func intersection(_ other: SceneRectangle) -> SceneRectangle {
    let (left, top) = (max(x, other.x), max(y, other.y))
    let right = min(x.addingClamped(width), other.x.addingClamped(other.width))
    let bottom = min(y.addingClamped(height), other.y.addingClamped(other.height))
    guard right > left, bottom > top else { return SceneRectangle(x: left, y: top, width: 0, height: 0) }
    return SceneRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The smallest that has both.
  func union(_ other: SceneRectangle) -> SceneRectangle {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let (left, top) = (min(x, other.x), min(y, other.y))
    let right = max(x.addingClamped(width), other.x.addingClamped(other.width))
    let bottom = max(y.addingClamped(height), other.y.addingClamped(other.height))
    return SceneRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }

  func moved(_ x: Int, _ y: Int) -> SceneRectangle {
    SceneRectangle(x: self.x.addingClamped(x), y: self.y.addingClamped(y), width: width, height: height)
  }
}

extension Int {
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
