/// The dictionary `Limits` in `Extensiond`: what an extension asks to be held to. nil: the system's own value.
public struct LimitOptions: Hashable, Sendable {
  /// Bytes, of all its processes together.
  public var memory: Int?
  /// Processes and threads.
  public var processes: Int?
  /// As `cpu.weight` of control groups: others have 100.
  public var cpuWeight: Int?
  /// Of each process.
  public var openFiles: Int?
  /// Bytes of one file.
  public var fileSize: Int?

  public init() {}

  init(_ reader: inout KeyReader) {
    reader.expect(only: ["CPUWeight", "FileSize", "Memory", "OpenFiles", "Processes"])
    // With less, most programs do not even begin. More than all addresses cannot be used, and some map most of them.
    memory = reader.size("Memory", (16 << 20)...(128 << 40))
    processes = reader.count("Processes", 1...32_768)
    cpuWeight = reader.count("CPUWeight", 1...10_000)
    openFiles = reader.count("OpenFiles", 16...524_288)
    fileSize = reader.size("FileSize", 4096...(1 << 40))
  }
}

extension KeyReader {
  /// A whole number in a range.
  fileprivate mutating func count(_ key: String, _ range: ClosedRange<Int>) -> Int? {
    guard let number = number(key) else { return nil }
    if let count = Int(exactly: number), range.contains(count) { return count }
    note(
      .optionValue,
      "\(key) in \(place) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// Bytes: a whole number, or a text with K, M, G or T after it.
  fileprivate mutating func size(_ key: String, _ range: ClosedRange<Int>) -> Int? {
    let bytes: Int?
    switch values[key] {
    case nil: return nil
    case .integer(let number)?: bytes = Int(exactly: number)
    case .string(let text)?: bytes = Self.bytes(text)
    case let other?:
      note(
        .keyType,
        "\(key) in \(place) is \(other.kindName); it must be a whole number of bytes, or a string such as 512M"
      )
      return nil
    }
    if let bytes, range.contains(bytes) { return bytes }
    note(
      .optionValue,
      "\(key) in \(place) must be from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)): a whole number of bytes, or a string with K, M, G or T after it, such as 512M"
    )
    return nil
  }

  private static let units: [(letter: Character, shift: Int)] = [("K", 10), ("M", 20), ("G", 30), ("T", 40)]

  private static func bytes(_ text: String) -> Int? {
    let unit = units.first { $0.letter == text.last }
    let digits = unit == nil ? Substring(text) : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits)
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (unit?.shift ?? 0))
    return overflow ? nil : bytes
  }

  private static func text(_ bytes: Int) -> String {
    let unit = units.last { bytes >> $0.shift > 0 }
    return unit.map { "\(bytes >> $0.shift)\($0.letter)" } ?? "\(bytes)"
  }
}
