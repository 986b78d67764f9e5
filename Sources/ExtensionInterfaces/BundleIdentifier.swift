/// The form of identifiers of bundles and points: reverse-DNS.
public enum BundleIdentifier {
  static let form =
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

/// Versions as numbers with dots.
public enum BundleVersion {
  public static func isValid(_ text: String) -> Bool { numbers(text) != nil }

  /// Compares number by number; a missing one is 0, and so is what is no number.
  public static func precedes(_ left: String, _ right: String) -> Bool {
    var (left, right) = (lenient(left), lenient(right))
    let count = max(left.count, right.count)
    left += Array(repeating: 0, count: count - left.count)
    right += Array(repeating: 0, count: count - right.count)
    return left.lexicographicallyPrecedes(right)
  }

  private static func numbers(_ text: String) -> [UInt64]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.utf8.first == UInt8(ascii: "+") ? nil : UInt64(part) }
    return numbers.count == parts.count ? numbers : nil
  }

  private static func lenient(_ text: String) -> [UInt64] {
    text.split(separator: ".", omittingEmptySubsequences: false).map {
      UInt64($0.prefix { $0.isNumber }) ?? 0
    }
  }
}
