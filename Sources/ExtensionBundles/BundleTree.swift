internal import LinuxSystem

/// Every file of a bundle, without its content. Nothing in it can lead the walk out of the bundle.
package struct BundleTree {
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
  /// That of the walk, and where the bundle is in there: a path that ends with a slash, or nothing.
  let whole: SharedDescriptor
  let prefix: String
  /// nil where no digest is wanted.
  let contents: BundleContents?
  /// When the walk began: nanoseconds since 1970.
  package let started: Int64
  /// Sorted by the bytes of the path.
  let entries: [Entry]
  /// Why the walk is not complete; empty when it is.
  let faults: [Fault]

  /// Walks a directory that was opened for it. `contents`: keeps what is read of it.
  init(walking directory: SharedDescriptor, contents: BundleContents? = nil) throws(Errno) {
    started = WallClock.milliseconds * 1_000_000
    self.directory = directory
    self.contents = contents
    (whole, prefix) = (directory, "")
    var walk = Walk()
    walk.entries.append(Entry(path: "", status: try FileStatus(of: directory.rawValue), target: nil))
    walk.directory(directory.rawValue, prefix: "", depth: 1)
    walk.entries.sort { $0.path.isBefore($1.path) }
    (entries, faults) = (walk.entries, walk.faults)
  }

  private init(
    in tree: BundleTree, directory: SharedDescriptor, prefix: String, entries: [Entry], faults: [Fault]
  ) {
    (whole, contents, started) = (tree.whole, tree.contents, tree.started)
    (self.directory, self.prefix, self.entries, self.faults) = (directory, prefix, entries, faults)
  }

  /// The same for a digest alone, without a descriptor of its own: an application may hold very many bundles.
  func forDigest() -> BundleTree {
    BundleTree(in: self, directory: whole, prefix: prefix, entries: entries, faults: faults)
  }

  static let signature = "_Signature"

  /// The entry at a path, if there is one.
  func entry(_ path: String) -> Entry? {
    let index = index(of: path)
    return index < entries.count && !path.isBefore(entries[index].path) ? entries[index] : nil
  }

  /// Where a path is among the entries, or would be.
  private func index(of path: String) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].path.isBefore(path) {
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
      in: self, directory: directory, prefix: self.prefix + prefix,
      entries: top
        + below(prefix).map { entry in
          Entry(
            path: String(Substring(entry.path.utf8.dropFirst(prefix.utf8.count))), status: entry.status,
            target: entry.target)
        },
      faults: faults.filter { $0.path.isEmpty || $0.path.utf8.starts(with: prefix.utf8) })
  }

  /// The content of a file, as `File.readBeneath` gives it.
  func read(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
    if let entry = entry(path), entry.status.size <= limit, let bytes = beginning(of: entry, limit) {
      return bytes
    }
    return try File.readBeneath(directory.rawValue, path, limit: limit)
  }

  /// The first bytes of a small file, which is not read again then. nil: open it, and see why there are none.
  func beginning(of entry: Entry, _ count: Int) -> [UInt8]? {
    contents?.beginning(of: prefix + entry.path, entry.status, in: whole.rawValue, count)
  }

  private struct Walk {
    var entries: [Entry] = []
    var faults: [Fault] = []
    var bytes: Int64 = 0
    var full = false

    mutating func directory(_ directory: CInt, prefix: String, depth: Int) {
      do throws(Errno) {
        for found in try DirectoryReader.entries(of: directory, isNew: true) {
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

extension String {
  /// Whether its bytes come first.
  func isBefore(_ other: String) -> Bool {
    let first = unsafe utf8.withContiguousStorageIfAvailable { first in
      unsafe other.utf8.withContiguousStorageIfAvailable { unsafe bytesPrecede(first, $0) }
    }
    return (first ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}
