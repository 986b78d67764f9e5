import Testing

@testable import BrokerCore

// What is kept in less room is what it was.

@Test(arguments: [
  "sha256:00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef",
  "sha256:ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "sha256:0000000000000000000000000000000000000000000000000000000000000000",
  // Of other forms, or not whole.
  "sha256:00112233445566778899AABBCCDDEEFF0123456789abcdef0123456789abcdef",
  "sha256:00112233445566778899aabbccddeeff0123456789abcdef0123456789abcde",
  "sha256:00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdeg",
  "sha512:00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef", "digest 1", "",
])
func `a digest is what it was, in whatever form it is kept`(_ text: String) {
  var facts = BundleFacts(path: "/a", rootIndex: 0, kind: .appExtension)
  #expect(facts.digest == nil)
  facts.digest = text
  #expect(facts.digest == text)
  var other = facts
  other.digest = text + "0"
  #expect(other != facts)
  other.digest = text
  #expect(other == facts)
}

@Test func `a digest's bytes are what its text says`() {
  var (text, bytes) = (BundleFacts(path: "/a", rootIndex: 0, kind: .appExtension), [UInt8]())
  var other = text
  for byte in 0..<32 { bytes.append(UInt8(byte * 37 % 256)) }
  let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  text.digest = "sha256:" + digits
  other.setDigest(sha256: bytes)
  #expect(other == text && other.digest == text.digest)
}

@Test func `paths are there once each, until they are removed`() {
  var paths: PathSet = []
  #expect(paths.isEmpty)
  for path in ["/a", "/a", "/b", "/c", "/b"] { paths.insert(path) }
  #expect(paths.sorted() == ["/a", "/b", "/c"])
  #expect(paths.count == 3)
  #expect(paths.contains("/b"))
  for path in ["/b", "/d", "/a"] { paths.remove(path) }
  #expect(Array(paths) == ["/c"])
  #expect(!paths.contains("/a"))
  paths.remove("/a")
  #expect(paths.count == 1)
  paths.remove("/c")
  #expect(paths.isEmpty)
  #expect(Array(paths) == [])
}
