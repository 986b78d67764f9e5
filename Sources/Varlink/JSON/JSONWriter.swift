/// Writes JSON without whitespace into bytes.
///
/// The caller makes sure that names and values alternate in objects and that what is begun is ended.
public struct JSONWriter: Sendable {
  /// What was written.
  public private(set) var bytes: [UInt8] = []

  /// Writes into room for so many bytes, which grows as needed.
  public init(reserving capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// Begins an object, as a value.
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  /// Ends the object that was begun last.
  public mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
  }

  /// Begins an array, as a value.
  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  /// Ends the array that was begun last.
  public mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
  }

  /// The name of the member whose value comes next.
  public mutating func name(_ name: String) {
    write(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// The same for a name that is written already, with its quotes and its colon: `"\"age\":"`.
  public mutating func name(encoded name: StaticString) {
    separate()
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Writes null.
  public mutating func writeNull() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes true or false.
  public mutating func write(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes a whole number.
  public mutating func write(_ value: some FixedWidthInteger) {
    separate()
    // Most are indices and counts.
    if value >= 0, value < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Writes a number.
  /// - Precondition: The value is finite. JSON has no infinity and no NaN (UAPI.20, "Floating Point Numbers").
  public mutating func write(_ value: Double) {
    precondition(value.isFinite, "JSON cannot express \(value). Check the value, or send it as a string.")
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes a text, with what must be escaped.
  public mutating func write(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    let text = value.utf8.span
    if text.endOfPlainText(from: 0) == text.count {
      append(text)
    } else {
      for index in text.indices { writeEscaped(text[index]) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes any value. Its numbers must be finite.
  public mutating func write(_ value: JSON) {
    switch value {
    case .null: writeNull()
    case .bool(let value): write(value)
    case .integer(let value): write(value)
    case .unsigned(let value): write(value)
    case .double(let value): write(value)
    case .string(let value): write(value)
    case .object(let value): write(value)
    case .array(let elements):
      beginArray()
      for element in elements { write(element) }
      endArray()
    }
  }

  /// Writes an object with its members.
  public mutating func write(_ object: JSONObject) {
    beginObject()
    for member in object.members {
      name(member.name)
      write(member.value)
    }
    endObject()
  }

  /// The byte that ends a message.
  mutating func endMessage() {
    bytes.append(0)
  }

  /// Writes the `parameters` member, and says where its object stands. Empty ones are left out (UAPI.20, "Call").
  mutating func parameters(_ write: (inout JSONWriter) -> Void) -> Range<Int> {
    let before = bytes.count
    name(encoded: "\"parameters\":")
    let start = bytes.count
    write(&self)
    if bytes.count > start + 2 { return start..<bytes.count }
    bytes.removeLast(bytes.count - before)
    return before..<before
  }

  /// Writes the comma before a value or name that is not the first. The last byte tells: a string ends with a
  /// quote, so these characters can only be the structure's own.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  /// All at once: byte by byte is what a writer of JSON would spend its time with.
  private mutating func append(_ text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func writeEscaped(_ byte: UInt8) {
    guard Span<UInt8>.endsPlainText(byte) else {
      bytes.append(byte)
      return
    }
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
    case 0..<0x10: bytes.append(contentsOf: "u000\(String(byte, radix: 16))".utf8)
    case 0x10..<0x20: bytes.append(contentsOf: "u00\(String(byte, radix: 16))".utf8)
    default: bytes.append(byte)
    }
  }
}
