/// Versions as numbers with dots. The one place of how they compare.
public enum BundleVersion {
  /// Whether it is numbers and dots alone.
  public static func isValid(_ text: String) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy(isDigit)
    }
  }

  /// Whether what is made for the version `needed` of something works with the version that is there: the first number is
  /// the same, and a later version is not needed.
  public static func serves(_ version: String, needed: String) -> Bool {
    parts(version)[0] == parts(needed)[0] && !precedes(version, needed)
  }

  /// Compares part by part: first the number that it begins with, of any length, then the text after that. A part
  /// that is missing, or begins with no number, counts as 0. A text is earlier than none: 1.0b2 comes before 1.0.
  ///
  /// An order for sorting, also of what is not valid: some of those are neither before nor after each other.
  public static func precedes(_ left: String, _ right: String) -> Bool {
    let (left, right) = (parts(left), parts(right))
    for index in 0..<max(left.count, right.count) {
      let first = index < left.count ? left[index] : Part("")
      let second = index < right.count ? right[index] : Part("")
      if first != second { return first < second }
    }
    return false
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func parts(_ text: String) -> [Part] {
    text.split(separator: ".", omittingEmptySubsequences: false).map(Part.init)
  }

  private struct Part: Comparable {
    /// Without leading zeros, so that more digits are a higher number.
    let digits: [UInt8]
    let rest: [UInt8]

    init(_ text: Substring) {
      let number = text.utf8.prefix(while: BundleVersion.isDigit)
      digits = Array(number.drop { $0 == UInt8(ascii: "0") })
      rest = Array(text.utf8.dropFirst(number.count))
    }

    static func < (left: Self, right: Self) -> Bool {
      if left.digits != right.digits {
        if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
        return left.digits.lexicographicallyPrecedes(right.digits)
      }
      if left.rest.isEmpty || right.rest.isEmpty { return !left.rest.isEmpty && right.rest.isEmpty }
      return left.rest.lexicographicallyPrecedes(right.rest)
    }
  }
}
