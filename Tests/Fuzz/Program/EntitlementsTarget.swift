import ExtensionInterfaces

@testable import ExtensionBundles

extension FuzzTarget {
  /// Entitlements.plist. Each line that comes of it is an entitlement that has a meaning for people.
  static let entitlements = FuzzTarget("entitlements") { bytes in
    guard let values = try? PropertyList.dictionary(from: bytes, isJSON: bytes.first == UInt8(ascii: "{"))
    else {
      return
    }
    let reading = EntitlementsReading(values, place: "Entitlements.plist")
    expect(reading.lines.count <= Entitlement.limit, "too many")
    expect(reading.lines == Set(reading.lines).sorted(), "not sorted, or twice")
    expect(reading.problems.count <= Entitlement.limit + 1, "too many problems")
    for line in reading.lines {
      expect(Entitlement(line)?.line == line, "“\(line)” is none")
      expect(!line.utf8.contains { $0 < 33 || $0 == 127 }, "“\(line)” has what no line has")
    }
  }
}
