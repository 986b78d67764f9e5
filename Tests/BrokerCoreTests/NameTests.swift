import ExtensionInterfaces
import Testing

@Test func `versions have one order, whatever is written in them`() {
  let ascending = [
    ["", "0", "0.0", "00"], ["0.1"], ["1.0a1"], ["1.0b2"], ["1", "1.0", "01.00"], ["1.0.0.1"], ["1.2"],
    ["1.9"], ["1.10"], ["2a"], ["2"], ["10"], ["18446744073709551616"], ["18446744073709551617"],
  ]
  for (low, earlier) in ascending.enumerated() {
    for (high, later) in ascending.enumerated() {
      for first in earlier {
        for second in later {
          #expect(BundleVersion.precedes(first, second) == (low < high), "\(first) before \(second)")
        }
      }
    }
  }
}

@Test(arguments: [("1", true), ("1.2.3", true), ("", false), ("1.", false), ("1.2b", false), ("+1", false)])
func `a version is numbers and dots`(text: String, valid: Bool) {
  #expect(BundleVersion.isValid(text) == valid)
}

@Test(arguments: [
  ("1.2", "1.2", true), ("1.2", "1", true), ("1", "1.0", true), ("1.10", "1.9", true), ("01.2", "1.2", true),
  ("1.2", "1.3", false), ("1.2", "1.2.1", false), ("2.0", "1.2", false), ("1.2", "2.0", false),
  ("10", "1", false),
])
func `a version serves what needs its first number and no later one`(
  version: String, needed: String, serves: Bool
) { #expect(BundleVersion.serves(version, needed: needed) == serves) }

@Test func `an identifier has at most 255 bytes`() {
  let long = "org." + String(repeating: "a", count: 251)
  #expect(BundleIdentifier.isValid(long) && !BundleIdentifier.isValid(long + "a"))
}

@Test(arguments: [
  ("org.example", true), ("a.b-c.D9", true), ("-.-", true), ("org", false), ("", false), (".", false),
  ("org.", false), (".org", false), ("org..a", false), ("org.a_b", false), ("org.ä", false),
  ("org.a b", false),
])
func `an identifier has two or more parts of letters, digits and dashes`(text: String, isValid: Bool) {
  #expect(BundleIdentifier.isValid(text) == isValid)
}
