internal import LinuxSystem

/// Every file of a bundle, without its content. Nothing in it can lead the walk out of the bundle.
struct BundleTree {
  struct Entry {
    /// Relative to the bundle; empty for the bundle itself.
    let path: String
    let status: FileStatus
    /// What a symbolic link holds.
    let target: String?
  }

  struct Fault {
    /// Empty for one that concerns the whole.
    let path: String
    let problem: BundleProblem
  }

  static let maximumFiles = 10_000
  static let maximumBytes: Int64 = 1 << 30
  static let maximumDepth = 32
  /// Of a walk. With more of them it ends, and nothing in there counts.
  static let maximumFaults = 100

  let directory: SharedDescriptor
  /// Sorted by the bytes of the path.
  let entries: [Entry]
  /// Why the walk is not complete; empty when it is.
  let faults: [Fault]

  private init(directory: SharedDescriptor, entries: [Entry], faults: [Fault]) {
    self.directory = directory
    self.entries = entries
    self.faults = faults
  }

  /// Walks the directory. `signature`: whether the top-level `_Signature` belongs to it.
  init(walking directory: SharedDescriptor, signature: Bool = true) throws(Errno) {
    var walk = Walk()
    if !signature { walk.skipped = Self.signature }
    walk.entries.append(Entry(path: "", status: try FileStatus(of: directory.rawValue), target: nil))
    walk.directory(directory.rawValue, prefix: "", depth: 1)
    walk.entries.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    self.init(directory: directory, entries: walk.entries, faults: walk.faults)
  }

  static let signature = "_Signature"

  /// The entry at a path, if there is one.
  func entry(_ path: String) -> Entry? {
    let index = index(of: path)
    return index < entries.count && entries[index].path.utf8.elementsEqual(path.utf8) ? entries[index] : nil
  }

  /// Where a path is among the entries, or would be.
  private func index(of path: String) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].path.utf8.lexicographicallyPrecedes(path.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// What stands below the directory at `prefix`, which ends with a slash or is empty. Only that is looked at: an
  /// application may hold many extensions.
  private func below(_ prefix: String) -> ArraySlice<Entry> {
    entries[index(of: prefix)...].prefix { $0.path.utf8.starts(with: prefix.utf8) }
  }

  /// What stands directly in the directory at `prefix`, which ends with a slash or is empty.
  func children(of prefix: String) -> [(name: String, entry: Entry)] {
    below(prefix).compactMap { entry in
      let name = entry.path.utf8.dropFirst(prefix.utf8.count)
      return name.isEmpty || name.contains(UInt8(ascii: "/")) ? nil : (String(Substring(name)), entry)
    }
  }

  /// The tree below one of its directories, as a bundle of its own.
  func subtree(_ path: String) throws(Errno) -> BundleTree {
    let prefix = path + "/"
    let directory = SharedDescriptor(try File.openBeneath(directory.rawValue, path, .directory))
    let top = entry(path).map { [Entry(path: "", status: $0.status, target: nil)] } ?? []
    return BundleTree(
      directory: directory,
      entries: top
        + below(prefix).map { entry in
          Entry(
            path: String(Substring(entry.path.utf8.dropFirst(prefix.utf8.count))), status: entry.status,
            target: entry.target)
        },
      faults: faults.filter { $0.path.isEmpty || $0.path.utf8.starts(with: prefix.utf8) })
  }

  private struct Walk {
    var entries: [Entry] = []
    var faults: [Fault] = []
    var bytes: Int64 = 0
    var full = false
    var skipped: String?

    mutating func directory(_ directory: CInt, prefix: String, depth: Int) {
      do throws(Errno) {
        for found in try DirectoryReader.entries(of: directory) {
          if full { return }
          let path = prefix + found.name
          guard found.isText else {
            note(path, .fileName, "“\(path)” has a name that is not UTF-8; rename it")
            continue
          }
          entry(found.name, at: path, in: directory, depth: depth)
        }
      } catch {
        note(prefix, .unreadable, "“\(prefix)” cannot be listed: \(error)")
      }
    }

    private mutating func entry(_ name: String, at path: String, in directory: CInt, depth: Int) {
      do throws(Errno) {
        let status = try FileStatus(at: name, in: directory)
        if path == skipped, status.kind == .directory { return }
        let target = status.kind == .symbolicLink ? try File.readTextLink(name, in: directory) : nil
        entries.append(Entry(path: path, status: status, target: target))
        if status.kind == .regular { bytes += status.size }
        guard entries.count <= maximumFiles else {
          return stop(.tooManyFiles, "it has more than \(maximumFiles) files; pack some of them into one")
        }
        guard bytes <= maximumBytes else {
          return stop(
            .tooLarge, "it is larger than \(maximumBytes >> 30) GiB; keep large data outside the bundle")
        }
        guard status.kind == .directory else { return }
        guard depth < maximumDepth else {
          return stop(.tooDeep, "“\(path)” lies deeper than \(maximumDepth) levels; make the bundle flatter")
        }
        let inner = try File.openBeneath(directory, name, .directory)
        self.directory(inner.rawValue, prefix: path + "/", depth: depth + 1)
      } catch .crossDevice {
        note(path, .mountPoint, "“\(path)” is another file system; unmount it, and copy its files here")
      } catch .noText {
        note(path, .fileName, "“\(path)” is a link to a name that is not UTF-8; rename what it leads to")
      } catch .noEntry {
        // Gone since it was listed; the change will be told.
      } catch {
        note(path, .unreadable, "“\(path)” cannot be read: \(error)")
      }
    }

    private mutating func stop(_ check: BundleProblem.Check, _ message: String) {
      full = true
      note("", check, message)
    }

    private mutating func note(_ path: String, _ check: BundleProblem.Check, _ message: String) {
      faults.append(Fault(path: path, problem: BundleProblem(check, message)))
      if faults.count == maximumFaults, !full { stop(check, "and more of this kind; mend these first") }
    }
  }
}
