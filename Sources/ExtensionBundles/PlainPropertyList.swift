/// Reads the XML that nearly every Info.plist is written in: dictionaries, arrays, texts without entities, booleans and
/// whole numbers. Whatever else it meets, a fault too, is for the library, which then reads all of it. To make the
/// library's tree and copy it takes five times as long, and is a third of what reading a bundle takes.
struct PlainPropertyList {
  /// The library's business.
  private struct Other: Error {}

  private let bytes: [UInt8]
  private var index = 0

  /// nil where the library has to read it.
  static func read(_ bytes: [UInt8]) -> PropertyList? {
    var reader = PlainPropertyList(bytes: bytes)
    return try? reader.document()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func document() throws(Other) -> PropertyList {
    if skip("<?xml ") {
      try skipDeclaration()
      guard bytes[index - 2] == UInt8(ascii: "?") else { throw Other() }
    }
    skipSpace()
    if skip("<!DOCTYPE plist PUBLIC ") { try skipDeclaration() }
    skipSpace()
    guard skip("<plist version=\"1.0\">") || skip("<plist>") else { throw Other() }
    skipSpace()
    guard let value = try value(depth: 1) else { throw Other() }
    skipSpace()
    guard skip("</plist>") else { throw Other() }
    skipSpace()
    guard index == bytes.count else { throw Other() }
    return value
  }

  /// To the end of what begins outside of the values. Nothing in there may hide where that is.
  private mutating func skipDeclaration() throws(Other) {
    var quotes = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: ">"):
        if quotes % 2 == 0 { return }
        throw Other()
      case UInt8(ascii: "\""): quotes += 1
      case UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "'"), 0: throw Other()
      default: break
      }
    }
    throw Other()
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
      default: return
      }
    }
  }

  /// Whether this came next, and was passed.
  private mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    for place in 0..<count where unsafe bytes[index + place] != text.utf8Start[place] { return false }
    index += count
    return true
  }

  /// nil where another thing than the begin of a value comes.
  private mutating func value(depth: Int) throws(Other) -> PropertyList? {
    if skip("<string>") { return .string(try text(until: "</string>")) }
    if skip("<dict>") { return .dictionary(try dictionary(depth: depth)) }
    if skip("<array>") { return .array(try array(depth: depth)) }
    if skip("<true/>") { return .boolean(true) }
    if skip("<false/>") { return .boolean(false) }
    if skip("<integer>") { return .integer(try integer()) }
    if skip("<string/>") { return .string("") }
    if skip("<dict/>") { return .dictionary([:]) }
    if skip("<array/>") { return .array([]) }
    return nil
  }

  private mutating func dictionary(depth: Int) throws(Other) -> [String: PropertyList] {
    if depth >= PropertyList.maximumDepth { throw Other() }
    var values: [String: PropertyList] = [:]
    while true {
      skipSpace()
      guard skip("<key>") else { break }
      let key = try text(until: "</key>")
      skipSpace()
      guard let value = try value(depth: depth + 1) else { throw Other() }
      // Of two with the same key the last counts.
      values[key] = value
    }
    guard skip("</dict>") else { throw Other() }
    return values
  }

  private mutating func array(depth: Int) throws(Other) -> [PropertyList] {
    if depth >= PropertyList.maximumDepth { throw Other() }
    var values: [PropertyList] = []
    while true {
      skipSpace()
      guard let value = try value(depth: depth + 1) else { break }
      values.append(value)
    }
    guard skip("</array>") else { throw Other() }
    return values
  }

  private mutating func text(until end: StaticString) throws(Other) -> String {
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if skip(end) { return text }
        throw Other()
      case UInt8(ascii: "&"), 0: throw Other()
      default: index += 1
      }
    }
    throw Other()
  }

  /// At most 18 digits, of which the first is none that would say that they are octal.
  private mutating func integer() throws(Other) -> Int64 {
    let start = index
    var value: Int64 = 0
    while index < bytes.count, case let byte = bytes[index], byte != UInt8(ascii: "<") {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), index - start < 18 else { throw Other() }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      index += 1
    }
    let count = index - start
    guard count > 0, count == 1 || bytes[start] != UInt8(ascii: "0"), skip("</integer>") else {
      throw Other()
    }
    return value
  }
}
