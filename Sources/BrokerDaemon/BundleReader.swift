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
  private var known: [String: (record: BundleRecord, fingerprint: BundleFingerprint?)] = [:]

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
  }

  /// The reading of many, in one transaction of the cache.
  func together<Value>(_ work: () -> Value) -> Value { cache?.together(work) ?? work() }

  func names(inRoot root: String) -> (state: RootScan.State, reportsEvents: Bool, names: [String]) {
    do throws(Errno) {
      let directory = try File.open(root, .directory)
      let events = try FileSystemKind(of: directory.rawValue).reportsEvents
      return (.present, events, try scanner.candidates(inRoot: root))
    } catch .noEntry {
      return (.absent, true, [])
    } catch {
      return (.failed(error), true, [])
    }
  }

  /// Reads one entry. With `final`, what somebody still writes to is a problem instead of a reason to wait.
  func read(_ entry: Entry, rootIndex: Int, final: Bool) -> Result {
    var result = Result()
    for record in scanner.read(entry.name, inRoot: entry.root) {
      var fingerprint: BundleFingerprint?
      var late: BundleProblem?
      if record.kind != .pointFile, !record.isNearMiss, record.problems.isEmpty {
        do throws(BundleHasher.Failure) {
          fingerprint = try self.fingerprint(of: record)
        } catch {
          if case .busy = error, !final {
            result.busy = [entry]
            return result
          }
          late = BundleProblem(.unreadable, error.description)
        }
      }
      known[record.path] = (record, fingerprint)
      let signature = fingerprint.map { verifier.check(record, digest: $0.digest, cache: verdicts) }
      result.found.append(
        BrokerCore.BundleFacts(
          record, rootIndex: rootIndex, digest: fingerprint?.digest, signature: signature ?? .unsigned,
          late: late))
    }
    return result
  }

  private func fingerprint(of record: BundleRecord) throws(BundleHasher.Failure) -> BundleFingerprint {
    let directory: FileDescriptor
    do throws(Errno) { directory = try record.open() } catch { throw .unreadable(record.path, error) }
    if let old = known[record.path]?.fingerprint ?? cache?.fingerprint(of: record.path),
      old.isCurrent(bundle: directory.rawValue, probingWriters: true)
    {
      return old
    }
    return try computeFingerprint(of: directory.rawValue, at: record.path)
  }

  private func computeFingerprint(
    of directory: CInt, at path: String
  ) throws(BundleHasher.Failure) -> BundleFingerprint {
    let fingerprint = try hasher.fingerprint(of: directory)
    cache?.keep(fingerprint, of: path)
    return fingerprint
  }

  func forget(_ paths: [String]) {
    for path in paths {
      known[path] = nil
      cache?.forget(path)
    }
  }

  /// Whether a bundle is what was decided about, and its directory, to launch from this very one.
  func check(_ path: String, digest: String) -> (BundleCheck, SharedDescriptor?) {
    guard let (record, fingerprint) = known[path] else { return (.changed, nil) }
    do throws(Errno) {
      let directory = SharedDescriptor(try record.open())
      if let fingerprint, fingerprint.digest.description == digest,
        fingerprint.isCurrent(bundle: directory.rawValue, probingWriters: true)
      {
        return (.current, directory)
      }
      do throws(BundleHasher.Failure) {
        let now = try computeFingerprint(of: directory.rawValue, at: path)
        known[path] = (record, now)
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
