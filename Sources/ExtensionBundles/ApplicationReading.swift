internal import LinuxSystem

extension BundleScanner {
  /// Reads one extension. `also` adds what its place says of it.
  func appExtension(
    _ record: BundleRecord, tree: BundleTree, parentsRootOwned: Bool,
    also: (inout BundleReading) -> Void = { _ in }
  ) -> Found {
    var reading = BundleReading(record, tree: tree, scanner: self, parentsRootOwned: parentsRootOwned)
    reading.readIdentity(requiresProgram: true)
    reading.readExtension()
    reading.readDetails()
    reading.readEntitlements()
    reading.readSignature()
    also(&reading)
    return Found(record: reading.record, tree: tree.forDigest())
  }

  /// Reads an application and what is inside of it, from one walk.
  func application(_ record: BundleRecord, tree: BundleTree, parentsRootOwned: Bool) -> [Found] {
    var reading = BundleReading(record, tree: tree, scanner: self, parentsRootOwned: parentsRootOwned)
    reading.readIdentity(requiresProgram: false)
    reading.readHostOptions()
    reading.readDetails()
    reading.readEntitlements()
    reading.readSignature()
    reading.readPoints()
    let application = reading.record
    let container = BundleRecord.Container(
      identifier: application.identifier, path: application.path, name: application.name,
      details: application.details)
    let parents = parentsRootOwned && tree.entries.first?.status.isRootOwned == true
    let inner = embedded(in: tree, base: reading.base).map { found in
      embedded(found, of: application, container: container, tree: tree, parentsRootOwned: parents)
    }
    return Self.markDuplicates([Found(record: application, tree: tree)] + inner)
  }

  private struct Embedded {
    let entry: BundleTree.Entry
    let name: String
    /// Where it had to be; nil where it is right.
    let rightFolder: String?
  }

  /// Everything in an application that is an extension, or was meant to be one.
  private func embedded(in tree: BundleTree, base: String) -> [Embedded] {
    let folder = base + "Extensions/"
    var found: [Embedded] = []
    var inside: String?
    for entry in tree.entries where !entry.path.isEmpty {
      // Not what is inside of one already.
      if let inside, entry.path.utf8.starts(with: inside.utf8) { continue }
      let slash = entry.path.utf8.lastIndex(of: UInt8(ascii: "/"))
      let name = slash.map { String(entry.path[entry.path.utf8.index(after: $0)...]) } ?? entry.path
      let parent = slash.map { String(entry.path[...$0]) } ?? ""
      let isRight = parent == folder
      let isMeant =
        name.hasSuffix(".appex")
        || isRight && entry.status.kind == .directory
          && hasExtensionKeys(entry.path, in: tree.directory.rawValue)
      guard isMeant else { continue }
      found.append(Embedded(entry: entry, name: name, rightFolder: isRight ? nil : folder))
      inside = entry.path + "/"
    }
    return found
  }

  private func embedded(
    _ found: Embedded, of application: BundleRecord, container: BundleRecord.Container, tree: BundleTree,
    parentsRootOwned: Bool
  ) -> Found {
    let (stem, suffix) = Self.split(found.name)
    var record = BundleRecord(
      kind: .appExtension, root: application.root, path: application.path + "/" + found.entry.path, name: stem
    )
    record.container = container
    if found.entry.status.kind == .symbolicLink {
      record.note(.symbolicLink, "\(found.entry.path) is a symbolic link; put the bundle itself there")
      return Found(record: record)
    }
    guard found.entry.status.kind == .directory else {
      record.isNearMiss = true
      record.note(
        .notDirectory, "\(found.entry.path) is a file; a bundle is a directory with Info.plist in it")
      return Found(record: record)
    }
    do throws(Errno) {
      let subtree = try tree.subtree(found.entry.path)
      let parents = parentsRootOwned && tree.areParentsRootOwned(of: found.entry.path)
      return appExtension(record, tree: subtree, parentsRootOwned: parents) { reading in
        if suffix != ".appex" { reading.noteWrongSuffix(found.name) }
        if let folder = found.rightFolder {
          reading.noteNearMiss(
            .wrongFolder, "\(found.entry.path) is not where extensions are looked for; move it to \(folder)")
        }
      }
    } catch {
      record.note(.unreadable, "\(found.entry.path) cannot be opened: \(error)")
      return Found(record: record)
    }
  }

  /// An identifier names one thing; where it names two of one application, neither can be meant.
  private static func markDuplicates(_ found: [Found]) -> [Found] {
    let owners = Dictionary(grouping: found.indices.filter { found[$0].record.identifier != nil }) {
      found[$0].record.identifier ?? ""
    }
    var found = found
    for (identifier, indices) in owners where indices.count > 1 {
      // Each of very many would name all others.
      let paths =
        indices.prefix(3).map { found[$0].record.path }
        + (indices.count > 3 ? ["\(indices.count - 3) more"] : [])
      for index in indices {
        found[index].record.note(
          .identifierDuplicate,
          "\(identifier) is the identifier of \(paths.joined(separator: " and ")); give each its own")
      }
    }
    return found
  }
}

extension BundleReading {
  mutating func noteWrongSuffix(_ name: String) {
    let stem = BundleScanner.split(name).stem
    noteNearMiss(.wrongSuffix, "\(name) has the keys of an extension; rename it to \(stem).appex")
  }
}

extension BundleTree {
  /// Whether root alone can change the directories between the bundle and a path in it.
  func areParentsRootOwned(of path: String) -> Bool {
    var path = path[...]
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      if entry(String(path))?.status.isRootOwned != true { return false }
    }
    return true
  }
}
