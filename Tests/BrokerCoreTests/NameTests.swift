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

@Test func `an identifier has at most 255 bytes`() {
  let long = "org." + String(repeating: "a", count: 251)
  #expect(BundleIdentifier.isValid(long) && !BundleIdentifier.isValid(long + "a"))
}
