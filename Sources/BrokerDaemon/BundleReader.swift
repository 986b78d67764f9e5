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

  /// Small, since there is one for each bundle.
  private struct Known {
    /// Its place in `knownRoots`.
    let root: UInt32
    /// false: nobody but the cache says what is in it.
    let isRead: Bool
  }

  /// Of developers there may be many, and they stay: few for a session.
  private var knownRoots: [String] = []

  private func note(_ path: String, in root: String, isRead: Bool) {
    let index =
      knownRoots.lastIndex(of: root)
      ?? {
        knownRoots.append(root)
        return knownRoots.count - 1
      }()
    known[path] = Known(root: UInt32(index), isRead: isRead)
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
    cache?.tidy()
    cache?.releaseMemory()
  }

  /// What is in a root, before any of it is read.
  struct Listing: Sendable {
    var state: RootScan.State
    /// nil where the state is not `present`.
    var root: BundleScanner.Root?
    var names: [String] = []
  }

  func list(_ path: String) -> Listing {
    do throws(Errno) {
      let root = try BundleScanner.Root(path)
      return Listing(state: .present, root: root, names: try scanner.candidates(inRoot: root))
    } catch .noEntry {
      return Listing(state: .absent)
    } catch {
      return Listing(state: .failed(error))
    }
  }

  /// Some of the entries that a root was found to have, in their order. One transaction of the cache until `finish`.
  func read(_ names: ArraySlice<String>, of path: String, in root: BundleScanner.Root, rootIndex: Int) -> [(
    Entry, Result
  )] {
    guard let first = names.first, let last = names.last else { return [] }
    cache?.begin()
    let kept = cache?.kept(from: path + "/" + first, through: path + "/" + last) ?? [:]
    return names.map { name in
      let entry = Entry(root: path, name: name)
      let known: DigestCache.Kept? =
        switch kept[entry.path] {
        case .some(.some(let small)): small
        case .some(.none): cache?.kept(of: entry.path)
        case .none: nil
        }
      return (
        entry,
        same(entry, in: root, rootIndex: rootIndex, known)
          ?? read(entry, in: root, rootIndex: rootIndex, final: false, known)
      )
    }
  }

  /// All of a root is read. Returns those of these that it does not have now: all of them where it could not be listed.
  func finish(gone: [Entry], isListed: Bool) -> [Entry] {
    cache?.commit()
    return isListed ? gone.filter { !File.exists($0.path) } : gone
  }

  /// Reads one entry. With `final`, what somebody still writes to is a problem instead of a reason to wait.
  /// With `unlessKept`, what has not changed since it was kept is not read again.
  func read(_ entry: Entry, rootIndex: Int, final: Bool, unlessKept: Bool = false) -> Result {
    guard let root = try? BundleScanner.Root(entry.root) else { return Result() }
    let known = cache?.kept(of: entry.path)
    if unlessKept, let same = same(entry, in: root, rootIndex: rootIndex, known) { return same }
    return read(entry, in: root, rootIndex: rootIndex, final: final, known)
  }

  /// What was found the last time, where no file of the entry has changed since.
  private func same(
    _ entry: Entry, in root: BundleScanner.Root, rootIndex: Int, _ kept: DigestCache.Kept?
  ) -> Result? {
    guard let kept, let bytes = kept.facts, KeptFacts.mayDecode(bytes, rootOwned: root.isRootOwned),
      let digest = BundleFingerprint.currentDigest(in: kept.fingerprint, of: entry.name, inRoot: root),
      var facts = KeptFacts.decoded(bytes, rootIndex: rootIndex, rootOwned: root.isRootOwned)
    else { return nil }
    for index in facts.indices {
      let path = facts[index].path
      let own = index == 0 && path == entry.path ? digest : cache?.fingerprint(of: path)?.digest
      guard let own else { return nil }
      facts[index].setDigest(sha256: own.bytes)
    }
    for bundle in facts { note(bundle.path, in: entry.root, isRead: false) }
    return Result(found: facts)
  }

  private func read(
    _ entry: Entry, in root: BundleScanner.Root, rootIndex: Int, final: Bool, _ kept: DigestCache.Kept?
  ) -> Result {
    let all = scanner.read(entry.name, inRoot: root, hasher: hasher)
    var result = Result()
    var whole: (fingerprint: BundleFingerprint, isNew: Bool)?
    /// Nothing is known beforehand of what must be mended, nor of a signature: its file belongs to no fingerprint.
    var isKept = true
    for found in all {
      let record = found.record
      var fingerprint: BundleFingerprint?
      var isNew = false
      var late: BundleProblem?
      if record.kind != .pointFile, !record.isNearMiss, record.problems.isEmpty, let tree = found.tree {
        do throws(BundleHasher.Failure) {
          let old =
            record.path == entry.path && cache != nil
            ? kept.flatMap { BundleFingerprint(decoding: $0.fingerprint) }
            : knownFingerprint(of: record.path)
          (fingerprint, isNew) = try self.fingerprint(of: record, tree, unless: old)
        } catch {
          if case .busy = error, !final {
            result.busy = [entry]
            return result
          }
          late = BundleProblem(.unreadable, error.description)
        }
      }
      note(record.path, in: entry.root, isRead: true)
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
        isKept && fingerprint.covers(readingSince: all.first?.tree?.started ?? 0)
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
    of record: BundleRecord, _ tree: BundleTree, unless old: BundleFingerprint?
  ) throws(BundleHasher.Failure) -> (BundleFingerprint, isNew: Bool) {
    if let old {
      let directory: FileDescriptor
      do throws(Errno) { directory = try record.open() } catch { throw .unreadable(record.path, error) }
      if old.isCurrent(bundle: directory.rawValue, probingWriters: true) { return (old, false) }
    }
    return (try hasher.fingerprint(of: tree), true)
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
    guard let known = known[path], case let root = knownRoots[Int(known.root)] else { return (.changed, nil) }
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
