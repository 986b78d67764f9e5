internal import BrokerCore
internal import LinuxSystem

/// Reads the policy files of all directories, as docs/policy.md describes it.
struct PolicyReader: Sendable {
  private static let fileLimit = 1_000

  private struct Found {
    /// Bytes, which need not be text.
    let name: [CChar]
    let directory: String
    let descriptor: SharedDescriptor

    var text: String { String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
  }

  /// Root's, the most important first.
  var directories = ["/etc", "/run", "/usr/lib"].map { $0 + "/extensiond/policy.d" }
  /// Directories that may also be this user's own. They only add: no file of theirs takes another one's place.
  var further: [String] = []

  var all: [String] { directories + further }

  /// A directory that cannot be read blocks all, since nobody knows what it names.
  func read() -> Policy {
    var policy = Policy()
    var files: [Found] = []
    for directory in all {
      do throws(Errno) {
        let descriptor = SharedDescriptor(try File.open(directory, [.directory]))
        try DirectoryReader.each(of: descriptor.rawValue) { name, _ in
          let file = Found(name: name, directory: directory, descriptor: descriptor)
          guard file.text.hasSuffix(".policy"), !file.text.hasPrefix(".") else { return true }
          let isTaken = !further.contains(directory) && files.contains { $0.name == name }
          if !isTaken { files.append(file) }
          return true
        }
      } catch .noEntry {
      } catch .notDirectory {
      } catch {
        block(directory, "cannot be read: \(error)", &policy)
      }
    }
    if files.count > Self.fileLimit {
      block(files[0].directory, "has more than \(Self.fileLimit) policy files", &policy)
    }
    // Two of one name stay in the order of their directories.
    let sorted = files.enumerated().sorted { ($0.element.text, $0.offset) < ($1.element.text, $1.offset) }
    for (_, file) in sorted.prefix(Self.fileLimit) { read(file, &policy) }
    return policy
  }

  private func block(_ path: String, _ what: String, _ policy: inout Policy) {
    policy.problems.append("\(path):1:1: \(what), so everything is blocked")
    policy.rules.append(PolicyRule(.broken, source: "\(path):1"))
  }

  private func read(_ found: Found, _ policy: inout Policy) {
    let path = found.directory + "/" + found.text
    do throws(Errno) {
      let file = try File.open(found.name, [.readOnly, .nonBlocking], in: found.descriptor.rawValue)
      let status = try FileStatus(of: file.rawValue)
      guard status.kind == .regular else { return block(path, "is no file", &policy) }
      let bytes = try file.readToEnd(limit: PolicyFile.sizeLimit)
      let parsed = PolicyFile(bytes, path: path, distrust: try distrust(status, found.directory))
      policy.rules += parsed.rules
      policy.problems += parsed.problems
    } catch {
      block(path, "cannot be read: \(error)", &policy)
    }
  }

  /// Why the file does not count, nil where it does.
  private func distrust(_ file: FileStatus, _ directory: String) throws(Errno) -> String? {
    func isTrusted(_ status: FileStatus) -> Bool {
      status.isRootOwned
        || further.contains(directory) && status.userID == CurrentProcess.userID && !status.isWritableByOthers
    }
    let parent = try FileStatus(at: directory, followLinks: true)
    if isTrusted(file), isTrusted(parent) { return nil }
    return
      "others than root can write it or its directory, so what it names is blocked; make both root's, with mode 644 and 755"
  }
}
