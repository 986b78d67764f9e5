internal import ExtensionInterfaces
internal import LinuxSystem

/// Reads one bundle into a record, check by check. None of them keeps another from being made.
struct BundleReading {
  let scanner: BundleScanner
  let tree: BundleTree
  /// `Contents/` in Apple's layout; empty in the flat one.
  let base: String
  /// The name of the file with the bundle's keys.
  let infoName: String
  private(set) var record: BundleRecord
  private(set) var info: [String: PropertyList]?

  /// `parentsRootOwned`: whether root alone can change the directories above.
  init(_ record: BundleRecord, tree: BundleTree, scanner: BundleScanner, parentsRootOwned: Bool) {
    self.scanner = scanner
    self.tree = tree
    self.record = record
    base = Self.base(of: tree)
    infoName = Self.infoFiles(in: tree, base: base).first ?? Self.infoNames[0]
    readInfo()
    self.record.isRootOwned = parentsRootOwned && tree.entries.allSatisfy(\.status.isRootOwned)
    checkFiles()
  }

  /// The names that the file with a bundle's keys may have.
  static let infoNames = ["Info.plist", "Info.json"]

  private static func infoFiles(in tree: BundleTree, base: String) -> [String] {
    infoNames.filter { tree.entry(base + $0) != nil }
  }

  static func base(of tree: BundleTree) -> String {
    infoFiles(in: tree, base: "").isEmpty && tree.entry("Contents")?.status.kind == .directory
      ? "Contents/" : ""
  }

  mutating func note(_ check: BundleProblem.Check, _ message: String) { record.note(check, message) }

  mutating func add(_ problems: [BundleProblem]) { record.problems += problems }
  mutating func setSignature(_ signature: BundleSignature) { record.signature = signature }
  mutating func setDetails(_ details: BundleDetails) { record.details = details }

  /// Something that was meant, but is not found this way.
  mutating func noteNearMiss(_ check: BundleProblem.Check, _ message: String) {
    record.isNearMiss = true
    record.note(check, message)
  }

  // MARK: Info.plist

  private mutating func readInfo() {
    let path = base + infoName
    guard tree.entry(path) != nil else {
      note(.infoMissing, "\(path) is missing; add one with CFBundleIdentifier")
      return
    }
    if case let names = Self.infoFiles(in: tree, base: base), names.count > 1 {
      note(
        .infoTwice,
        "\(names.map { base + $0 }.joined(separator: " and ")) are both there, and which of them counts cannot be told; keep one"
      )
    }
    do throws(BundleProblem) {
      info = try KeyReader.file(named: path) { limit throws(Errno) in
        try tree.read(path, limit: limit)
      } check: { error in
        switch error {
        case nil: .infoUnreadable
        case .empty: .infoEmpty
        case .tooLarge: .infoTooLarge
        case .tooDeep: .infoTooDeep
        case .truncated: .infoTruncated
        case .malformed, .malformedJSON: .infoMalformed
        case .notDictionary: .infoNotDictionary
        }
      }
    } catch {
      record.problems.append(error)
    }
  }

  /// Reads what every bundle has. `requiresProgram`: whether it is nothing without one.
  mutating func readIdentity(requiresProgram: Bool) {
    guard let info else { return }
    var reader = KeyReader(info, place: infoName)
    record.identifier = reader.identifier()
    record.shortVersion = reader.string("CFBundleShortVersionString", maximum: KeyReader.maximumVersion)
    record.version = reader.string("CFBundleVersion", maximum: KeyReader.maximumVersion)
    let program = reader.string("CFBundleExecutable")
    let names = BundleNames(
      tree: tree, base: base, otherwise: record.container?.name ?? record.name, reader: &reader)
    record.name = names.best
    record.problems += reader.problems + names.problems
    if let program {
      readExecutable(program)
    } else if requiresProgram, info["CFBundleExecutable"] == nil {
      note(
        .executableMissing, "CFBundleExecutable is missing from \(infoName); name the program in the bundle")
    }
  }

  mutating func readEntitlements() {
    let path = base + "Entitlements.plist"
    guard tree.entry(path) != nil else { return }
    do throws(BundleProblem) {
      let values = try KeyReader.file(named: path) { limit throws(Errno) in
        try tree.read(path, limit: limit)
      } check: { _ in
        .entitlements
      }
      let reading = EntitlementsReading(values, place: path)
      record.entitlements = reading.lines
      record.problems += reading.problems
    } catch {
      record.problems.append(error)
    }
  }

  // MARK: The program

  private mutating func readExecutable(_ program: String) {
    let parts = program.split(separator: "/", omittingEmptySubsequences: false)
    guard !program.isEmpty else {
      return note(.executableMissing, "CFBundleExecutable is empty; name the program in the bundle")
    }
    guard !program.hasPrefix("/"), !parts.contains("..") else {
      return note(
        .executablePath, "CFBundleExecutable “\(program)” leads out of the bundle; put the program into it")
    }
    // A bundle for several systems has Apple's program in MacOS, and ours beside it.
    let places = base.isEmpty ? [""] : ["Contents/Linux/", "Contents/MacOS/", "Contents/"]
    for place in places {
      do throws(Errno) {
        // What was walked lies in the bundle, and no link leads there.
        if let entry = tree.entry(place + program), entry.status.kind == .regular {
          return try checkExecutable(place + program, entry.status)
        }
        let file = try File.openBeneath(tree.directory.rawValue, place + program, .path, followLinks: true)
        return try checkExecutable(place + program, FileStatus(of: file.rawValue))
      } catch .noEntry {
        continue
      } catch .crossDevice {
        return note(
          .executablePath,
          "the program “\(place + program)” leads out of the bundle by a link; put it into the bundle")
      } catch {
        return note(.executableMissing, "the program “\(place + program)” cannot be opened: \(error)")
      }
    }
    let tried = places.map { $0 + program }.joined(separator: ", ")
    note(
      .executableMissing, "the program is not there (tried \(tried)); add it, or correct CFBundleExecutable")
  }

  private mutating func checkExecutable(_ path: String, _ status: FileStatus) throws(Errno) {
    guard status.kind == .regular else {
      return note(
        .executableNotFile, "the program “\(path)” is not a regular file; CFBundleExecutable must name one")
    }
    record.executable = path
    if status.mode & 0o111 == 0 {
      note(.executableMode, "the program “\(path)” may not be executed; chmod +x it")
    }
    if isInSignature(status) {
      note(
        .executablePath,
        "the program “\(path)” lies in \(BundleTree.signature), which no digest covers; move it out")
    }
    let header: [UInt8]
    do throws(Errno) {
      header = try beginning(of: path)
    } catch .permission {
      return note(.unreadable, "the program “\(path)” may not be read; chmod +r it")
    }
    switch ProgramFormat(header: header) {
    case .script: break
    case .elf(let machine):
      if machine != scanner.machine {
        noteIncompatible("built for \(machine), this machine is \(scanner.machine)")
      }
    case .other:
      note(
        .executableFormat,
        "the program “\(path)” is neither an ELF program nor a script that starts with #!; build it")
    }
  }

  private func beginning(of path: String) throws(Errno) -> [UInt8] {
    let size = ProgramFormat.headerSize
    if let entry = tree.entry(path), let bytes = tree.beginning(of: entry, size) { return bytes }
    let file = try File.openBeneath(tree.directory.rawValue, path, .nonBlocking, followLinks: true)
    return try file.read(upTo: size)
  }

  /// Whether a file, perhaps by a link, lies in the signature. The digest leaves that out, so it could change unseen.
  func isInSignature(_ status: FileStatus) -> Bool {
    if tree.entry(BundleTree.signature) == nil { return false }
    return tree.entries.contains {
      $0.path.hasPrefix(BundleTree.signature + "/") && $0.status.inode == status.inode
        && $0.status.device == status.device
    }
  }

  private mutating func noteIncompatible(_ reason: String) {
    record.incompatible = [record.incompatible, reason].compactMap(\.self).joined(separator: "; ")
  }

  // MARK: What only some bundles have

  /// Reads the keys of an extension.
  mutating func readExtension() {
    guard let info else { return }
    guard ExtensionKeys.areIn(info) else {
      return noteNearMiss(
        .noExtensionKeys,
        "\(infoName) has neither EXAppExtensionAttributes nor NSExtension; add one that names the extension point"
      )
    }
    var reader = KeyReader(info, place: infoName)
    let keys = ExtensionKeys(&reader)
    record.extensionPoint = keys.point
    record.principalClass = keys.principalClass
    record.attributes = keys.attributes
    record.problems += reader.problems + keys.problems
    guard let options = reader.dictionary("Extensiond") else { return }
    var optionReader = KeyReader(options, place: "Extensiond in \(infoName)")
    record.options = ExtensionOptions(&optionReader)
    record.problems += optionReader.problems
    if let minimum = record.options.minimumVersion, BundleVersion.precedes(scanner.systemVersion, minimum) {
      noteIncompatible("needs version \(minimum), this is \(scanner.systemVersion)")
    }
  }

  /// Reads what an application says to this system alone.
  mutating func readHostOptions() {
    guard let info else { return }
    var reader = KeyReader(info, place: infoName)
    let options = reader.dictionary("Extensiond")
    record.problems += reader.problems
    guard let options else { return }
    var optionReader = KeyReader(options, place: "Extensiond in \(infoName)")
    record.programs = HostOptions(&optionReader).programs
    record.problems += optionReader.problems
  }

  /// Reads the points of an application.
  mutating func readPoints() {
    let folder = base + "Extensions/"
    for (name, entry) in tree.children(of: folder) where name.hasSuffix(PointDefinition.suffix) {
      let (points, problems) = PointDefinition.read(
        name, in: tree.directory.rawValue, path: entry.path, file: record.path + "/" + entry.path,
        owner: .under(record.identifier))
      record.problems += problems
      for point in points {
        if record.points.contains(where: { $0.identifier == point.identifier }) {
          note(.pointDuplicate, "the point \(point.identifier) is defined twice, again in \(name); keep one")
        } else {
          record.points.append(point)
        }
      }
    }
  }
}

extension KeyReader {
  /// CFBundleIdentifier, where it is there and well formed.
  fileprivate mutating func identifier() -> String? {
    guard let identifier = string("CFBundleIdentifier") else {
      if values["CFBundleIdentifier"] == nil {
        note(.identifierMissing, "CFBundleIdentifier is missing from \(place); add \(BundleIdentifier.form)")
      }
      return nil
    }
    if BundleIdentifier.isValid(identifier) { return identifier }
    note(
      .identifierMalformed, "CFBundleIdentifier “\(identifier)” is malformed; write \(BundleIdentifier.form)")
    return nil
  }
}
