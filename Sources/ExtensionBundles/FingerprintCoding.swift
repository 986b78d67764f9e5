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
      let status = record.status
      writer.text(record.path)
      writer.bytes.append(status.kind.rawValue)
      writer.number(UInt64(status.mode))
      writer.number(UInt64(status.userID))
      writer.number(status.linkCount)
      writer.number(status.inode)
      writer.signed(status.size)
      writer.signed(status.modified)
      writer.signed(status.changed)
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

extension BundleFingerprint {
  /// The digest in the compact form, where nothing has changed in an entry of a root since. Opens nothing, asks for no
  /// writers and makes no values of files: enough to say again what was found in the same ones, never enough to run them.
  package static func currentDigest(
    in bytes: [UInt8], of name: String, inRoot root: BundleScanner.Root
  ) -> BundleDigest? {
    var reader = CompactReader(bytes)
    do throws(CompactReader.Malformed) {
      guard try reader.byte() == format else { return nil }
      let digest = try reader.digest()
      let fileSystem = FileSystemKind(magic: try reader.number(UInt32.self), identifier: try reader.number())
      guard fileSystem.keepsChangeTimes, fileSystem == root.fileSystem else { return nil }
      let settled = try reader.signed() - racyInterval
      var path = Array(name.utf8)
      for _ in 0..<(try reader.number(UInt32.self)) {
        path.removeLast(path.count - name.utf8.count)
        let inner = try reader.take(try reader.number())
        if !inner.isEmpty {
          path.append(UInt8(ascii: "/"))
          path += inner
        }
        path.append(0)
        let record = try reader.status()
        let status = try? FileStatus(at: path, in: root.directory.rawValue)
        // What is mounted there may have the same numbers.
        guard record.changed < settled, record.modified < settled, status?.device == root.device,
          record.matches(status)
        else { return nil }
        if record.kind != .directory { _ = try reader.take(UInt64(BundleDigest.size)) }
      }
      try reader.end()
      return digest
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
    let status = try status()
    return FileRecord(path: path, status: status, content: status.kind == .directory ? nil : try digest())
  }

  /// What a file was: all of it but what it holds.
  fileprivate mutating func status() throws(Malformed) -> FileRecord.Status {
    guard let kind = FileStatus.Kind(rawValue: try byte()) else { throw Malformed() }
    let mode = try number(UInt32.self)
    let userID = try number(UInt32.self)
    let (linkCount, inode) = (try number(), try number())
    let (size, modified, changed) = (try signed(), try signed(), try signed())
    return FileRecord.Status(
      kind: kind, mode: mode, userID: userID, linkCount: linkCount, inode: inode, size: size,
      modified: modified, changed: changed)
  }
}
