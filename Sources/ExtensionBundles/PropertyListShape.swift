/// Looks over XML before it is parsed: how deep it is, and whether its end is there.
enum XMLPropertyListShape {
  static func check(_ bytes: [UInt8]) throws(PropertyListError) {
    var depth = 0
    var index = 0
    var elements = 0
    while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
      if let (end, found) = skip(bytes, open) {
        if !found { throw .truncated }
        index = end
        continue
      }
      guard let close = bytes[open...].firstIndex(of: UInt8(ascii: ">")) else { throw .truncated }
      switch bytes[open + 1] {
      case UInt8(ascii: "?"), UInt8(ascii: "!"): break
      case UInt8(ascii: "/"): depth -= 1
      default:
        elements += 1
        if bytes[close - 1] != UInt8(ascii: "/") { depth += 1 }
      }
      // The plist element, and the key or scalar innermost.
      if depth > PropertyList.maximumDepth + 2 { throw .tooDeep }
      if depth < 0 { throw .malformed }
      index = close + 1
    }
    if elements == 0 { throw .malformed }
    if depth > 0 { throw .truncated }
  }

  /// The end of a comment or a character section that starts at `open`, and whether it is there at all.
  private static func skip(_ bytes: [UInt8], _ open: Int) -> (end: Int, found: Bool)? {
    let rest = bytes[open...]
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>")] where rest.starts(with: start.utf8) {
      let end = Array(end.utf8)
      var index = open + start.utf8.count
      while index + end.count <= bytes.count {
        if bytes[index..<(index + end.count)].elementsEqual(end) { return (index + end.count, true) }
        index += 1
      }
      return (bytes.count, false)
    }
    return nil
  }
}

/// Looks over a binary property list before it is parsed: shared objects can make few bytes into very many values.
struct BinaryPropertyListShape {
  static let magic = Array("bplist00".utf8)
  private static let maximumValues = 100_000
  /// So many bytes of text or data count as one more value, since each use of them is a copy.
  private static let bytesOfValue = 32

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let table: Int
  /// How many values and levels each object unfolds to, once known; nil while it is being counted.
  private var known: [Int: (values: Int, levels: Int)?] = [:]

  static func check(_ bytes: [UInt8]) throws(PropertyListError) {
    // The trailer: 6 unused bytes, two sizes, then the number of objects, the top one and the table's place.
    guard bytes.count >= 8 + 32 else { throw .truncated }
    let trailer = bytes.count - 32
    var shape = BinaryPropertyListShape(
      bytes: bytes, offsetSize: Int(bytes[trailer + 6]), referenceSize: Int(bytes[trailer + 7]),
      table: try integer(bytes, at: trailer + 24, size: 8))
    let count = try integer(bytes, at: trailer + 8, size: 8)
    let top = try integer(bytes, at: trailer + 16, size: 8)
    guard (1...8).contains(shape.offsetSize), (1...8).contains(shape.referenceSize), count > 0, top < count,
      count <= bytes.count, shape.table <= trailer, shape.table + count * shape.offsetSize <= trailer
    else { throw .truncated }
    _ = try shape.count(top, of: count)
  }

  private init(bytes: [UInt8], offsetSize: Int, referenceSize: Int, table: Int) {
    self.bytes = bytes
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
    self.table = table
  }

  private mutating func count(
    _ object: Int, of objects: Int, depth: Int = 0
  ) throws(PropertyListError) -> (values: Int, levels: Int) {
    if object >= objects { throw .malformed }
    if let known = known[object] {
      guard let known else { throw .malformed }
      if depth + known.levels > PropertyList.maximumDepth { throw .tooDeep }
      return known
    }
    let offset = try Self.integer(bytes, at: table + object * offsetSize, size: offsetSize)
    guard offset < table else { throw .malformed }
    var result = (values: 1, levels: 0)
    let marker = bytes[offset] >> 4
    if (0x4...0x6).contains(marker) {
      result.values += try length(at: offset).members / Self.bytesOfValue
    }
    if marker == 0xA || marker == 0xC || marker == 0xD {
      if depth >= PropertyList.maximumDepth { throw .tooDeep }
      known[object] = .some(nil)
      var (first, members) = try length(at: offset)
      if marker == 0xD { members *= 2 }
      guard members <= bytes.count, first + members * referenceSize <= table else { throw .malformed }
      for index in 0..<members {
        let member = try Self.integer(bytes, at: first, size: referenceSize)
        let inner = try count(member, of: objects, depth: depth + 1)
        result.values += inner.values
        result.levels = max(result.levels, inner.levels)
        if result.values > Self.maximumValues { throw .tooDeep }
        // The keys of a dictionary come before its values.
        if marker == 0xD, index < members / 2 { try checkKey(member) }
        first += referenceSize
      }
      result.levels += 1
    }
    known[object] = result
    return result
  }

  /// Throws unless it is a text without NUL. At one in UTF-16 the C library aborts; in ASCII it takes it for the end.
  private func checkKey(_ object: Int) throws(PropertyListError) {
    let offset = try Self.integer(bytes, at: table + object * offsetSize, size: offsetSize)
    let unit: Int
    switch bytes[offset] >> 4 {
    case 0x5: unit = 1
    case 0x6: unit = 2
    default: throw .malformed
    }
    let (first, count) = try length(at: offset)
    guard first + count * unit <= table else { throw .malformed }
    for start in stride(from: first, to: first + count * unit, by: unit)
    where bytes[start..<(start + unit)].allSatisfy({ $0 == 0 }) {
      throw .malformed
    }
  }

  /// Where the members of a container, or the bytes of text or data, start, and how many there are.
  private func length(at offset: Int) throws(PropertyListError) -> (first: Int, members: Int) {
    let short = Int(bytes[offset] & 0xF)
    if short < 0xF { return (offset + 1, short) }
    guard offset + 1 < table, bytes[offset + 1] >> 4 == 1 else { throw .malformed }
    let size = 1 << Int(bytes[offset + 1] & 0xF)
    guard size <= 8 else { throw .malformed }
    return (offset + 2 + size, try Self.integer(bytes, at: offset + 2, size: size))
  }

  /// Throws for what is larger than any offset here.
  private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) throws(PropertyListError) -> Int {
    guard offset >= 0, offset + size <= bytes.count else { throw .malformed }
    var value: UInt64 = 0
    for index in offset..<(offset + size) { value = value << 8 | UInt64(bytes[index]) }
    guard value <= UInt64(bytes.count) else { throw .malformed }
    return Int(value)
  }
}
