/// The last lines of standard error, for messages about an end.
struct LineTail {
  static let lineLimit = 50
  /// As JSON: they travel in one packet.
  static let byteLimit = 36 << 10

  private var kept: [String] = []

  mutating func add(_ line: String) {
    if kept.count == Self.lineLimit { kept.removeFirst() }
    kept.append(line)
  }

  /// Oldest first; as many as fit.
  var lines: [String] {
    var size = 0
    let fitting = kept.reversed().prefix { line in
      size += encodedSize(line)
      return size <= Self.byteLimit
    }
    return fitting.reversed()
  }
}

/// The bytes of a line in a JSON array.
func encodedSize(_ line: String) -> Int {
  let escaped = line.utf8.count {
    $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\t")
  }
  return line.utf8.count + escaped + 3
}
