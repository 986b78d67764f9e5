// What a cache keeps: numbers of seven bits a byte, texts with their length before them. Nothing says what comes next: the
// writer and the reader have to agree.

@usableFromInline package struct CompactWriter {
  @usableFromInline package var bytes: [UInt8] = []

  package init() {}

  /// Seven bits a byte, the lowest first.
  @usableFromInline package mutating func number(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }

  package mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value)) }

  @usableFromInline package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

  package mutating func text(_ text: String) {
    number(UInt64(text.utf8.count))
    let isAdded: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe bytes += $0 }
    if isAdded == nil { bytes += text.utf8 }
  }

  @inlinable package mutating func optional<Value>(_ value: Value?, _ write: (inout Self, Value) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }

  @inlinable package mutating func list<Values: Collection>(
    _ values: Values, _ write: (inout Self, Values.Element) -> Void
  ) {
    number(UInt64(values.count))
    for value in values { write(&self, value) }
  }

  package mutating func texts(_ texts: [String]) { list(texts) { $0.text($1) } }
}

/// Reads what `CompactWriter` wrote, from bytes that may be anything.
@usableFromInline package struct CompactReader {
  @usableFromInline package struct Malformed: Error {
    @usableFromInline package init() {}
  }

  @usableFromInline let bytes: [UInt8]
  @usableFromInline var index = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nothing may come after the last value.
  package func end() throws(Malformed) {
    if index != bytes.count { throw Malformed() }
  }

  package mutating func byte() throws(Malformed) -> UInt8 {
    guard index < bytes.count else { throw Malformed() }
    index += 1
    return bytes[index - 1]
  }

  @usableFromInline package mutating func number() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      let byte = try byte()
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw Malformed()
  }

  package mutating func number<Value: FixedWidthInteger>(_: Value.Type) throws(Malformed) -> Value {
    guard let value = Value(exactly: try number()) else { throw Malformed() }
    return value
  }

  package mutating func signed() throws(Malformed) -> Int64 { Int64(bitPattern: try number()) }

  package mutating func flag() throws(Malformed) -> Bool { try byte() != 0 }

  package mutating func take(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.count - index) else { throw Malformed() }
    index += Int(count)
    return bytes[(index - Int(count))..<index]
  }

  package mutating func text() throws(Malformed) -> String {
    let length = try number()
    guard let text = String(validating: try take(length), as: UTF8.self) else { throw Malformed() }
    return text
  }

  @inlinable package mutating func list<Value>(
    _ read: (inout Self) throws(Malformed) -> Value
  ) throws(Malformed) -> [Value] {
    let count = try number()
    // Each takes a byte at least.
    guard count <= UInt64(bytes.count - index) else { throw Malformed() }
    var values: [Value] = []
    values.reserveCapacity(Int(count))
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  package mutating func texts() throws(Malformed) -> [String] {
    try list { reader throws(Malformed) in try reader.text() }
  }
}
