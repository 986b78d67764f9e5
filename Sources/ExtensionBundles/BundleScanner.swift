package import LinuxSystem

/// Finds what is in a root. Decides nothing and remembers nothing; may be used on any thread.
public struct BundleScanner: Hashable, Sendable {
  /// The version of this system, to which MinimumVersion is compared.
  public var systemVersion: String
  public var machine: Machine
  /// Who beside root may own a bundle's files.
  public var userID: UInt32

  package init(systemVersion: String, machine: Machine = .current, userID: UInt32 = effectiveUserID) {
    self.systemVersion = systemVersion
    self.machine = machine
    self.userID = userID
  }

  /// Looks at everything in a root. The root itself may be a symbolic link.
  public func scan(root: String) -> RootScan {
    do throws(Errno) {
      let root = try Root(root)
      var scan = RootScan(path: root.path, state: .present)
      scan.reportsEvents = root.reportsEvents
      for name in try Self.names(in: root) { scan.records += read(name, in: root) }
      return scan
    } catch .noEntry {
      return RootScan(path: root, state: .absent)
    } catch {
      return RootScan(path: root, state: .failed(error))
    }
  }

  /// Looks at one entry of a root, and at nothing else there. Empty where it is nothing to us, or gone.
  /// An application comes first, then what is inside of it.
  public func read(_ name: String, inRoot root: String) -> [BundleRecord] {
    guard Self.isCandidate(name), let root = try? Root(root) else { return [] }
    return read(name, in: root)
  }

  /// The same for one of many in a root that was opened once.
  ///
  /// `hasher`: takes digests of what is found, and hashes what is read already.
  package func read(_ name: String, inRoot root: Root, hasher: BundleHasher) -> [Found] {
    // Without a library that hashes, it is read without, and told with the cause when its digest is wanted.
    let contents = SHA256.fault == nil ? BundleContents(hasher) : nil
    return Self.isCandidate(name) ? found(name, in: root, contents: contents) : []
  }

  /// Something that was found, and its files where it is a directory.
  package struct Found {
    package var record: BundleRecord
    package var tree: BundleTree?
  }

  /// The entries of a root that may be something, sorted; for those who share the reading between threads.
  package func candidates(inRoot root: Root) throws(Errno) -> [String] { try Self.names(in: root) }

  /// Whether an entry's name lets it be looked at: hidden ones and unfinished copies are not.
  public static func isCandidate(_ name: String) -> Bool {
    !name.isEmpty && !name.contains("/") && !name.hasPrefix(".") && !name.hasSuffix(".tmp")
      && !name.hasSuffix(".part")
  }

  private static func names(in root: Root) throws(Errno) -> [String] {
    try DirectoryReader.entries(of: root.directory.rawValue).map(\.name).filter(isCandidate)
      .sorted { $0.isBefore($1) }
  }

  /// An open root, and what is said of all that is in it.
  package struct Root: Sendable {
    package let path: String
    let directory: SharedDescriptor
    package var reportsEvents: Bool { fileSystem.reportsEvents }
    let fileSystem: FileSystemKind
    /// The file system's number now; another one after the next boot, perhaps.
    let device: UInt64
    /// Whether root alone can change it and every directory above.
    package let isRootOwned: Bool

    package init(_ path: String) throws(Errno) {
      let slashes = path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
      self.path = String(path.dropLast(slashes))
      directory = SharedDescriptor(try File.open(path, .directory))
      fileSystem = try FileSystemKind(of: directory.rawValue)
      device = try FileStatus(of: directory.rawValue).device
      isRootOwned = try Self.isRootOwned(directory)
    }

    /// Kept as long as the bundle is known, so without the room to grow that a text has which was put together.
    func path(of name: String) -> String { String(decoding: Array((path + "/" + name).utf8), as: UTF8.self) }

    /// Goes up by `..`, so it is the real directories that count, whatever links led here.
    private static func isRootOwned(_ directory: SharedDescriptor) throws(Errno) -> Bool {
      var directory = directory
      var status = try FileStatus(of: directory.rawValue)
      while status.isRootOwned {
        do throws(Errno) {
          directory = SharedDescriptor(try File.open("..", [.path, .directory], in: directory.rawValue))
        } catch .permission {
          return false
        }
        let parent = try FileStatus(of: directory.rawValue)
        if parent.inode == status.inode, parent.device == status.device { return true }
        status = parent
      }
      return false
    }
  }

  /// `asked`: somebody names this very entry, so that it is never nothing. `shown`: the name that counts, where it was
  /// named by a link.
  func read(_ name: String, in root: Root, asked: Bool = false, shown: String? = nil) -> [BundleRecord] {
    found(name, in: root, asked: asked, shown: shown).map(\.record)
  }

  private func found(
    _ name: String, in root: Root, asked: Bool = false, shown: String? = nil, contents: BundleContents? = nil
  ) -> [Found] {
    guard let status = try? FileStatus(at: name, in: root.directory.rawValue) else { return [] }
    let (stem, suffix) = Self.split(shown ?? name)
    var kind = Self.kinds[suffix]
    var slip: String?
    if asked, kind == nil || !Self.isCandidate(shown ?? name) {
      let meant = MeantName(shown ?? name, kind: status.kind) { self.keys(name, in: root.directory.rawValue) }
      (kind, slip) = (meant.suffix.flatMap { Self.kinds[$0] }, meant.message)
    } else if kind == nil, status.kind == .directory, hasExtensionKeys(name, in: root.directory.rawValue) {
      kind = .appExtension
    }
    guard let kind else {
      return slip.map { [Found(record: Self.nothing(name, in: root, status.kind, $0))] } ?? []
    }
    let all = read(
      name, as: kind, in: root, status: status, stem: stem, suffix: suffix, contents: contents)
    guard let slip else { return all }
    return all.map { found in
      guard found.record.container == nil else { return found }
      var found = found
      found.record.isNearMiss = true
      found.record.problems.removeAll { $0.check == .wrongSuffix }
      found.record.problems.insert(BundleProblem(.wrongSuffix, slip), at: 0)
      return found
    }
  }

  private static let kinds: [String: BundleRecord.Kind] = [
    ".appex": .appExtension, ".app": .application, PointDefinition.suffix: .pointFile,
  ]

  /// What somebody takes for a bundle, and nothing of it is.
  private static func nothing(
    _ name: String, in root: Root, _ kind: FileStatus.Kind, _ message: String
  ) -> BundleRecord {
    var record = BundleRecord(
      kind: kind == .directory ? .appExtension : .pointFile, root: root.path, path: root.path(of: name),
      name: name)
    record.isNearMiss = true
    record.note(.wrongSuffix, message)
    return record
  }

  private func read(
    _ name: String, as kind: BundleRecord.Kind, in root: Root, status: FileStatus, stem: String,
    suffix: String, contents: BundleContents?
  ) -> [Found] {
    var record = BundleRecord(kind: kind, root: root.path, path: root.path(of: name), name: stem)
    if status.kind == .symbolicLink {
      record.note(.symbolicLink, "\(name) is a symbolic link; put the bundle itself there")
      return [Found(record: record)]
    }
    if kind == .pointFile { return [Found(record: pointFile(record, name, status: status, in: root))] }
    guard status.kind == .directory else {
      record.isNearMiss = true
      record.note(.notDirectory, "\(name) is a file; a bundle is a directory with Info.plist in it")
      return [Found(record: record)]
    }
    do throws(Errno) {
      let directory = SharedDescriptor(try File.openBeneath(root.directory.rawValue, name, .directory))
      let tree = try BundleTree(walking: directory, contents: contents)
      if kind == .application { return application(record, tree: tree, parentsRootOwned: root.isRootOwned) }
      return [
        appExtension(record, tree: tree, parentsRootOwned: root.isRootOwned) { reading in
          if suffix != ".appex" { reading.noteWrongSuffix(name) }
        }
      ]
    } catch {
      if error == .noEntry { return [] }
      let check: BundleProblem.Check = error == .crossDevice ? .mountPoint : .unreadable
      record.note(check, "\(name) cannot be opened: \(error)")
      return [Found(record: record)]
    }
  }

  private func pointFile(
    _ record: BundleRecord, _ name: String, status: FileStatus, in root: Root
  ) -> BundleRecord {
    var record = record
    let (points, problems) = PointDefinition.read(
      name, in: root.directory.rawValue, path: name, file: record.path, owner: .anybody)
    record.points = points
    record.problems = problems
    record.isRootOwned = root.isRootOwned && status.isRootOwned
    if status.isWritableByOthers { record.note(.writableByOthers, "others can write \(name); chmod go-w") }
    if status.userID != 0, status.userID != userID {
      record.note(.foreignOwner, "\(name) belongs to another person, who can change it; chown it to yourself")
    }
    return record
  }

  /// Whether a directory without our suffix was meant to be an extension. Opens its Info.plist or Info.json, if it has one.
  func hasExtensionKeys(_ path: String, in directory: CInt) -> Bool {
    keys(path, in: directory).map(ExtensionKeys.areIn) ?? false
  }

  /// The dictionary of a directory's Info.plist or Info.json; nil where it has none that can be read.
  func keys(_ path: String, in directory: CInt) -> [String: PropertyList]? {
    for info in ["/", "/Contents/"].flatMap({ base in BundleReading.infoNames.map { base + $0 } }) {
      guard let bytes = try? File.readBeneath(directory, path + info, limit: PropertyList.maximumSize) else {
        continue
      }
      return try? PropertyList.dictionary(from: bytes, isJSON: info.hasSuffix(".json"))
    }
    return nil
  }

  /// A name and its suffix, which starts with a dot; empty where it has none.
  static func split(_ name: String) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}
