/// Reads the data types of RFC 4251, section 5, from bytes that may be anything.
struct SSHReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next bytes; nil where there are not so many.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func number() -> UInt32? {
    take(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  mutating func string() -> ArraySlice<UInt8>? { number().flatMap { take(Int($0)) } }

  mutating func text() -> String? { string().flatMap { String(validating: $0, as: UTF8.self) } }
}
