internal import BrokerCore
internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

/// Reads, hashes and verifies bundles, and remembers what it read. For the worker's thread alone.
final class BundleReader: @unchecked Sendable {
  // Sendable by use: after `init` only the worker's thread calls it.

  struct Result: Sendable {
    var found: [BrokerCore.BundleFacts] = []
    /// Entries in which somebody still writes.
    var busy: [Entry] = []
  }

  /// A thing in a root, by its name there.
  struct Entry: Hashable, Sendable {
    let root: String
    let name: String

    var path: String { root + "/" + name }
  }

  private let scanner: BundleScanner
  private let hasher = BundleHasher()
  private let verifier = SignatureVerifier()
  private let verdicts = SignatureVerdicts()
  private let cachePath: String
  private var cache: DigestCache?
  /// What was read, by path.
  private var known: [String: Known] = [:]
  /// Large, and so they are here only where there is no cache.
  private var fingerprints: [String: BundleFingerprint] = [:]

  private struct Known {
    let root: String
    /// false: nobody but the cache says what is in it.
    let isRead: Bool
  }

  init(cachePath: String) {
    self.cachePath = cachePath
    scanner = BundleScanner(systemVersion: Version.current)
  }

  /// Comes before all reading. What cannot be kept is computed again.
  func openCache() -> String? {
    var warning: String?
    cache = DigestCache(path: cachePath) { warning = $0 }
    verdicts.kept = cache
    return warning
  }

  /// Everything was read once: what the cache has of other bundles is of no use.
  func pruneCache() {
    cache?.keepOnly { known[$0] != nil }
    verdicts.prune()
    cache?.releaseMemory()
  }

  /// Everything in a root, in one transaction of the cache.
  func readAll(inRoot path: String, rootIndex: Int) -> Scan {
    let root: BundleScanner.Root
    let names: [String]
    do throws(Errno) {
      root = try BundleScanner.Root(path)
      names = try scanner.candidates(inRoot: root)
    } catch .noEntry {
      return Scan(state: .absent)
    } catch {
      return Scan(state: .failed(error))
    }
    let all = { [self] in
      names.map { name in
        let entry = Entry(root: path, name: name)
        return (
          entry,
          kept(entry, in: root, rootIndex: rootIndex)
            ?? read(entry, in: root, rootIndex: rootIndex, final: false)
        )
      }
    }
    return Scan(
      state: .present, reportsEvents: root.reportsEvents, results: cache?.together(all) ?? all())
  }

  struct Scan: Sendable {
    var state: RootScan.State
    var reportsEvents = true
    var results: [(Entry, Result)] = []
  }

  /// Reads one entry. With `final`, what somebody still writes to is a problem instead of a reason to wait.
  /// With `unlessKept`, what has not changed since it was kept is not read again.
  func read(_ entry: Entry, rootIndex: Int, final: Bool, unlessKept: Bool = false) -> Result {
    guard let root = try? BundleScanner.Root(entry.root) else { return Result() }
    if unlessKept, let kept = kept(entry, in: root, rootIndex: rootIndex) { return kept }
    return read(entry, in: root, rootIndex: rootIndex, final: final)
  }

  /// What was found the last time, where no file of the entry has changed since.
  private func kept(_ entry: Entry, in root: BundleScanner.Root, rootIndex: Int) -> Result? {
    guard let (fingerprint, bytes) = cache?.found(in: entry.path),
      var facts = KeptFacts.decoded(bytes, rootIndex: rootIndex, rootOwned: root.isRootOwned),
      fingerprint.isCurrent(entry.name, inRoot: root)
    else { return nil }
    for index in facts.indices {
      let path = facts[index].path
      guard let digest = path == entry.path ? fingerprint.digest : cache?.fingerprint(of: path)?.digest else {
        return nil
      }
      facts[index].digest = digest.description
    }
    for bundle in facts { known[bundle.path] = Known(root: entry.root, isRead: false) }
    return Result(found: facts)
  }

  private func read(
    _ entry: Entry, in root: BundleScanner.Root, rootIndex: Int, final: Bool
  ) -> Result {
    let started = WallClock.milliseconds * 1_000_000
    let records = scanner.read(entry.name, inRoot: root)
    var result = Result()
    var whole: (fingerprint: BundleFingerprint, isNew: Bool)?
    /// Nothing is known beforehand of what must be mended, nor of a signature: its file belongs to no fingerprint.
    var isKept = true
    for record in records {
      var fingerprint: BundleFingerprint?
      var isNew = false
      var late: BundleProblem?
      if record.kind != .pointFile, !record.isNearMiss, record.problems.isEmpty {
        do throws(BundleHasher.Failure) {
          (fingerprint, isNew) = try self.fingerprint(of: record)
        } catch {
          if case .busy = error, !final {
            result.busy = [entry]
            return result
          }
          late = BundleProblem(.unreadable, error.description)
        }
      }
      known[record.path] = Known(root: entry.root, isRead: true)
      isKept = isKept && fingerprint != nil && record.signature == nil
      // That of the entry is kept with all that is found in it.
      if record.path == entry.path {
        whole = fingerprint.map { ($0, isNew) }
      } else if isNew, let fingerprint {
        keep(fingerprint, of: record.path)
      }
      let signature = fingerprint.map { verifier.check(record, digest: $0.digest, cache: verdicts) }
      result.found.append(
        BrokerCore.BundleFacts(
          record, rootIndex: rootIndex, digest: fingerprint?.digest, signature: signature ?? .unsigned,
          late: late))
    }
    if let (fingerprint, isNew) = whole {
      let facts =
        isKept && fingerprint.covers(readingSince: started)
        ? KeptFacts.encoded(result.found, rootOwned: root.isRootOwned) : nil
      if isNew || facts != nil { keep(fingerprint, facts: facts, of: entry.path) }
    }
    return result
  }

  private func keep(_ fingerprint: BundleFingerprint, facts: [UInt8]? = nil, of path: String) {
    guard let cache else { return fingerprints[path] = fingerprint }
    cache.keep(fingerprint, facts: facts, of: path)
  }

  private func fingerprint(
    of record: BundleRecord
  ) throws(BundleHasher.Failure) -> (BundleFingerprint, isNew: Bool) {
    let directory: FileDescriptor
    do throws(Errno) { directory = try record.open() } catch { throw .unreadable(record.path, error) }
    if let old = knownFingerprint(of: record.path),
      old.isCurrent(bundle: directory.rawValue, probingWriters: true)
    {
      return (old, false)
    }
    return (try hasher.fingerprint(of: directory.rawValue), true)
  }

  private func knownFingerprint(of path: String) -> BundleFingerprint? {
    cache.map { $0.fingerprint(of: path) } ?? fingerprints[path]
  }

  func forget(_ paths: [String]) {
    for path in paths {
      known[path] = nil
      fingerprints[path] = nil
      cache?.forget(path)
    }
  }

  /// Reads the entry of a bundle of which only the cache has told so far; nil where it was read.
  func readUnread(_ path: String, in entry: Entry, rootIndex: Int) -> Result? {
    known[path]?.isRead == false ? read(entry, rootIndex: rootIndex, final: false) : nil
  }

  /// Whether a bundle is what was decided about, and its directory, to launch from this very one.
  func check(_ path: String, digest: String) -> (BundleCheck, SharedDescriptor?) {
    guard let root = known[path]?.root else { return (.changed, nil) }
    do throws(Errno) {
      let directory = SharedDescriptor(try BundleRecord.open(path, in: root))
      if let fingerprint = knownFingerprint(of: path), fingerprint.digest.description == digest,
        fingerprint.isCurrent(bundle: directory.rawValue, probingWriters: true)
      {
        return (.current, directory)
      }
      do throws(BundleHasher.Failure) {
        let now = try hasher.fingerprint(of: directory.rawValue)
        keep(now, of: path)
        return now.digest.description == digest ? (.current, directory) : (.changed, nil)
      } catch .busy(let file) {
        return (.busy(path: file), nil)
      } catch {
        return (.unreadable(errno: 0, detail: error.description), nil)
      }
    } catch .noEntry {
      return (.changed, nil)
    } catch {
      return (.unreadable(errno: Int(error.rawValue), detail: "\(path) cannot be opened"), nil)
    }
  }

  /// The directories of an entry, for those who watch them; at most `limit`.
  static func directories(of path: String, limit: Int = 2000) -> [String] {
    var found: [String] = []
    var waiting = [path]
    while let next = waiting.popLast(), found.count < limit {
      guard let directory = try? File.open(next, [.directory, .noFollow]) else { continue }
      found.append(next)
      guard let entries = try? DirectoryReader.entries(of: directory.rawValue) else { continue }
      waiting += entries.filter { $0.kind == .directory && $0.isText }.map { next + "/" + $0.name }
    }
    return found
  }
}
