/// The form of identifiers of hosts, bundles and points: reverse-DNS. The one place of this rule.
public enum BundleIdentifier {
  /// For people: what to write.
  public static let form =
    "one such as org.example.Name: letters, digits and - in two or more parts, at most 255 bytes"

  public static func isValid(_ text: String) -> Bool {
    guard text.utf8.count <= 255 else { return false }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count >= 2
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
              true
            default: false
            }
          }
      }
  }
}
