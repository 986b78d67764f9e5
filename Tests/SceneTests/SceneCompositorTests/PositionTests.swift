internal import SceneCompositor
internal import Testing
internal import WireClient

/// Where popups stand, as xdg_positioner's description has it, in a scene of 400 x 300.
struct PositionTests {
  typealias Rule = WireClient.Rule

  private let client: WireClient
  private let window: WireClient.Window

  init() throws {
    client = try WireClient()
    _ = client.compositor.makeScene(token: nil, size: (400, 300))
    window = client.makeWindow()
    try client.show(window, 400, 300)
  }

  private func place(_ rule: Rule) throws -> [Int] {
    let popup = try client.makePopup(of: window, rule)
    defer { client.destroy(popup) }
    return try #require(client.events(of: popup.role, 0).last)
  }

  /// The directions in their numbers' order: none, top, bottom, left, right, and the corners.
  static let directions = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]

  @Test(arguments: 0..<9) func `Each edge and each direction`(edge: Int) throws {
    for gravity in 0..<9 { try check(edge, gravity) }
  }

  private func check(_ edge: Int, _ gravity: Int) throws {
    let (anchor, direction) = (Self.directions[edge], Self.directions[gravity])
    let horizontal = [-1: 100, 0: 115, 1: 130], vertical = [-1: 80, 0: 90, 1: 100]
    let x = try #require(horizontal[anchor.0]) + (direction.0 < 0 ? -20 : direction.0 == 0 ? -10 : 0)
    let y = try #require(vertical[anchor.1]) + (direction.1 < 0 ? -10 : direction.1 == 0 ? -5 : 0)
    #expect(try place(Rule(edge: edge, gravity: gravity)) == [x, y, 20, 10])
    #expect(try place(Rule(edge: edge, gravity: gravity, offset: (3, -4))) == [x + 3, y - 4, 20, 10])
  }

  // Below a button at the lower edge, which has no room there.
  private static let low = Rule(size: (60, 100), anchor: (50, 240, 80, 30), edge: 6, gravity: 8)

  @Test(arguments: [
    // As it is: none of these helps, or none is allowed.
    (0, 270, 100), (1, 270, 100), (4, 270, 100),
    // Slid, flipped over the button, made smaller; flipping comes first.
    (2, 200, 100), (8, 140, 100), (32, 270, 30), (2 | 8 | 32, 140, 100), (2 | 32, 200, 100),
  ]) func `What does not fit`(adjustment: Int, y: Int, height: Int) throws {
    var rule = Self.low
    rule.adjustment = adjustment
    #expect(try place(rule) == [50, y, 60, height])
  }

  @Test func `An offset is flipped, too`() throws {
    var rule = Self.low
    (rule.adjustment, rule.offset) = (8, (0, 7))
    #expect(try place(rule) == [50, 133, 60, 100])
  }

  @Test func `What fits nowhere is not flipped, and slid to the start`() throws {
    let rule = Rule(size: (60, 290), anchor: (50, 140, 80, 30), edge: 6, gravity: 8, adjustment: 8)
    #expect(try place(rule) == [50, 170, 60, 290])
    #expect(
      try place(Rule(size: (500, 20), anchor: (50, 140, 80, 30), edge: 6, gravity: 8, adjustment: 1))
        == [0, 170, 500, 20])
    #expect(
      try place(Rule(size: (500, 20), anchor: (50, 140, 80, 30), edge: 6, gravity: 8, adjustment: 1 | 16))
        == [0, 170, 400, 20])
  }

  @Test func `To the left and the right it is the same`() throws {
    let right = { Rule(size: (60, 20), anchor: (350, 50, 30, 20), edge: 7, gravity: 8, adjustment: $0) }
    #expect(try place(right(1)) == [340, 50, 60, 20])
    #expect(try place(right(4)) == [290, 50, 60, 20])
    #expect(try place(right(16)) == [380, 50, 20, 20])
  }

  @Test func `A scene without a size has that of its window`() throws {
    let client = try WireClient()
    _ = client.compositor.makeScene(token: nil, size: nil)
    let window = client.makeWindow()
    try client.show(window, 400, 300)
    var rule = Self.low
    rule.adjustment = 2
    #expect(client.events(of: try client.makePopup(of: window, rule).role, 0).last == [50, 200, 60, 100])
  }
}
