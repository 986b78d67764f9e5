import Varlink

extension FuzzTarget {
  /// What was read is written so that it is read as the same again, and is no deeper than it may be.
  static let json = FuzzTarget("json") { bytes in
    guard let value = try? JSON(parsing: bytes) else { return }
    expect(depth(of: value) <= JSON.defaultMaximumDepth, "deeper than it may be")
    for text in [value.text, value.prettyText] {
      let again = must("reading what was written") { try JSON(parsing: Array(text.utf8)) }
      expect(again == value, "it was written as \(text)")
    }
  }

  private static func depth(of value: JSON) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .object(let object): 1 + (object.members.map { depth(of: $0.value) }.max() ?? 0)
    default: 0
    }
  }
}
