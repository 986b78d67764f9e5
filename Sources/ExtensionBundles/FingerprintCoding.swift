internal import LinuxSystem

// The form in which a cache keeps fingerprints. A cache can be rebuilt, so another version simply does not decode.
extension BundleFingerprint {
  private static let format: UInt8 = 1

  /// The compact form.
  public func encoded() -> [UInt8] {
    var writer = CompactWriter()
    writer.bytes.append(Self.format)
    writer.bytes += digest.bytes
    writer.number(UInt64(fileSystem.magic))
    writer.number(fileSystem.identifier)
    writer.signed(started)
    writer.list(records) { writer, record in
      writer.text(record.path)
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
    var reader = CompactReader(bytes)
    do throws(CompactReader.Malformed) {
      guard try reader.byte() == Self.format else { return nil }
      let digest = try reader.digest()
      let fileSystem = FileSystemKind(magic: try reader.number(UInt32.self), identifier: try reader.number())
      let started = try reader.signed()
      let records = try reader.list { reader throws(CompactReader.Malformed) in try reader.record() }
      try reader.end()
      self.init(digest: digest, fileSystem: fileSystem, started: started, records: records)
    } catch {
      return nil
    }
  }
}

extension CompactReader {
  fileprivate mutating func digest() throws(Malformed) -> BundleDigest {
    let bytes = Array(try take(UInt64(BundleDigest.size)))
    guard let digest = BundleDigest(bytes: bytes) else { throw Malformed() }
    return digest
  }

  fileprivate mutating func record() throws(Malformed) -> FileRecord {
    let path = try text()
    guard let kind = FileStatus.Kind(rawValue: try byte()) else { throw Malformed() }
    let mode = try number(UInt32.self)
    let userID = try number(UInt32.self)
    let (linkCount, inode) = (try number(), try number())
    let (size, modified, changed) = (try signed(), try signed(), try signed())
    return FileRecord(
      path: path, kind: kind, mode: mode, userID: userID, linkCount: linkCount, inode: inode, size: size,
      modified: modified, changed: changed, content: kind == .directory ? nil : try digest())
  }
}
