/// The form of identifiers of hosts, bundles and points: reverse-DNS. The one place of this rule.
public enum BundleIdentifier {
  /// For people: what to write.
  public static let form =
    "one such as org.example.Name: letters, digits and - in two or more parts, at most 255 bytes"

  public static func isValid(_ text: String) -> Bool {
    guard text.utf8.count <= 255 else { return false }
    // Not split into parts: that would take as long as all else that is found out about some bundles.
    var parts = 1
    var isEmpty = true
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        isEmpty = false
      case UInt8(ascii: "."):
        if isEmpty { return false }
        (parts, isEmpty) = (parts + 1, true)
      default: return false
      }
    }
    return parts >= 2 && !isEmpty
  }
}
