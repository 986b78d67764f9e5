import ExtensionBundles

extension FuzzTarget {
  /// A property list in each of its three forms. What was accepted is no deeper than it may be, whatever the C library
  /// takes for the depth.
  static let propertyLists = FuzzTarget("property-lists") { bytes in
    if let values = try? PropertyList.dictionary(from: bytes, isJSON: true) { look(at: .dictionary(values)) }
    guard let value = try? PropertyList(bytes) else { return }
    look(at: value)
    _ = value.xml
  }

  private static func look(at value: PropertyList) {
    expect(depth(of: value) <= PropertyList.maximumDepth, "deeper than it may be")
  }

  private static func depth(of value: PropertyList) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .dictionary(let values): 1 + (values.values.map(depth).max() ?? 0)
    default: 0
    }
  }
}
