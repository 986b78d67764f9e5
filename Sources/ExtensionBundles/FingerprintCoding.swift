internal import LinuxSystem

// The form in which a cache keeps fingerprints. A cache can be rebuilt, so another version simply does not decode.
extension BundleFingerprint {
  private static let format: UInt8 = 1

  /// The compact form.
  public func encoded() -> [UInt8] {
    var writer = Writer()
    writer.bytes.append(Self.format)
    writer.bytes += digest.bytes
    writer.number(UInt64(fileSystem.magic))
    writer.number(fileSystem.identifier)
    writer.number(UInt64(bitPattern: started))
    writer.number(UInt64(records.count))
    for record in records {
      writer.number(UInt64(record.path.utf8.count))
      writer.bytes += record.path.utf8
      writer.bytes.append(record.kind.rawValue)
      for value in [
        UInt64(record.mode), UInt64(record.userID), record.linkCount, record.inode,
        UInt64(bitPattern: record.size), UInt64(bitPattern: record.modified),
        UInt64(bitPattern: record.changed),
      ] { writer.number(value) }
      if let content = record.content { writer.bytes += content.bytes }
    }
    return writer.bytes
  }

  /// Reads the compact form; nil for any other bytes.
  public init?(decoding bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard reader.byte() == Self.format, let digest = reader.digest(),
      let magic = reader.number().flatMap(UInt32.init(exactly:)), let identifier = reader.number(),
      let started = reader.signed(), let count = reader.number()
    else { return nil }
    var records: [FileRecord] = []
    for _ in 0..<min(count, UInt64(bytes.count)) {
      guard let record = reader.record() else { return nil }
      records.append(record)
    }
    guard records.count == count, reader.index == bytes.count else { return nil }
    self.init(
      digest: digest, fileSystem: FileSystemKind(magic: magic, identifier: identifier), started: started,
      records: records)
  }

  private struct Writer {
    var bytes: [UInt8] = []

    /// Seven bits a byte, the lowest first.
    mutating func number(_ value: UInt64) {
      var value = value
      while value >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
        value >>= 7
      }
      bytes.append(UInt8(value))
    }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    mutating func byte() -> UInt8? {
      guard index < bytes.count else { return nil }
      index += 1
      return bytes[index - 1]
    }

    mutating func number() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), through: 63, by: 7) {
        guard let byte = byte() else { return nil }
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
      }
      return nil
    }

    mutating func signed() -> Int64? { number().map { Int64(bitPattern: $0) } }

    mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
      guard count <= UInt64(bytes.count - index) else { return nil }
      index += Int(count)
      return bytes[(index - Int(count))..<index]
    }

    mutating func digest() -> BundleDigest? {
      take(UInt64(BundleDigest.size)).flatMap { BundleDigest(bytes: Array($0)) }
    }

    mutating func record() -> FileRecord? {
      guard let length = number(), let path = take(length),
        let text = String(validating: path, as: UTF8.self),
        let kind = byte().flatMap(FileStatus.Kind.init(rawValue:)),
        let mode = number().flatMap(UInt32.init(exactly:)),
        let userID = number().flatMap(UInt32.init(exactly:)), let linkCount = number(), let inode = number(),
        let size = signed(), let modified = signed(), let changed = signed()
      else { return nil }
      var content: BundleDigest?
      if kind != .directory {
        content = digest()
        if content == nil { return nil }
      }
      return FileRecord(
        path: text, kind: kind, mode: mode, userID: userID, linkCount: linkCount, inode: inode, size: size,
        modified: modified, changed: changed, content: content)
    }
  }
}
