internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

/// A bundle as it lies on the disk, looked at without the broker.
enum BundleLook {
  /// What the broker would list of it in a root, but for what only the broker knows: decisions, other copies, instances.
  static func rows(
    at path: String, followingLink: Bool = false
  ) throws(ControlError) -> [AdminInterface.Extension] {
    let scanner = BundleScanner(systemVersion: ExtensionControl.version)
    do throws(Errno) {
      let verifier = SignatureVerifier()
      return try scanner.read(path: path, followingLink: followingLink).map { row($0, verifier) }
    } catch .noEntry {
      throw ControlError(.failed, "there is no \(path)")
    } catch {
      throw ControlError(.failed, "\(path) cannot be looked at: \(error)")
    }
  }

  /// What keeps a copy of it from being valid. Who owns the files and who may write them is the copy's own.
  static func faultsOfCopy(_ rows: [AdminInterface.Extension]) -> [AdminInterface.Extension] {
    let mended = [BundleProblem.Check.writableByOthers, .foreignOwner].map(\.rawValue)
    return rows.compactMap { row in
      var row = row
      row.problems.removeAll { mended.contains($0.check) }
      return row.problems.isEmpty ? nil : row
    }
  }

  private static func row(
    _ record: BundleRecord, _ verifier: SignatureVerifier
  ) -> AdminInterface.Extension {
    var problems = record.problems
    var digest: BundleDigest?
    if record.kind != .pointFile, problems.isEmpty {
      do throws(BundleHasher.Failure) { digest = try self.digest(of: record) } catch {
        problems.append(BundleProblem(.unreadable, error.description))
      }
    }
    var key: PublisherKey?
    var unverified: String?
    if let digest {
      switch verifier.check(record, digest: digest) {
      case .unsigned: break
      case .signed(let signer): key = signer
      case .bad(let problem): problems.append(problem)
      case .unverified(let why): unverified = why
      }
    }
    let (state, explanation) = judge(record, problems, unverified: unverified)
    return AdminInterface.Extension(
      identifier: record.identifier, path: record.path, state: state, explanation: explanation,
      localizedName: record.name.text(in: CurrentProcess.languages), extensionPoint: record.extensionPoint,
      version: record.shortVersion ?? record.version, buildVersion: record.version,
      containingHost: record.container?.identifier, digest: digest?.description,
      rootOwned: record.isRootOwned, entitlements: record.entitlements,
      problems: problems.map { .init(check: $0.check.rawValue, message: $0.message) }, instances: 0,
      programs: record.programs.isEmpty ? nil : record.programs, pointVersion: record.options.pointVersion,
      details: .init(record.details, in: CurrentProcess.languages),
      asks: record.entitlements.isEmpty ? nil : Entitlement.meanings(of: record.entitlements),
      publisher: key?.fingerprint,
      publisherKeyType: key?.label)
  }

  static func digest(of record: BundleRecord) throws(BundleHasher.Failure) -> BundleDigest {
    let directory: FileDescriptor
    do throws(Errno) { directory = try record.open() } catch { throw .unreadable(record.path, error) }
    return try BundleHasher().fingerprint(of: directory.rawValue).digest
  }

  private static func judge(
    _ record: BundleRecord, _ problems: [BundleProblem], unverified: String?
  ) -> (AdminInterface.Extension.State, String) {
    if let problem = problems.first {
      let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
      return (record.isNearMiss ? .nearMiss : .invalid, problem.message + more)
    }
    if let incompatible = record.incompatible ?? unverified { return (.incompatible, incompatible) }
    return (.unapproved, "nothing is wrong with it; whether it may be used is the broker's to say")
  }
}

extension AdminInterface.Extension {
  /// Every failed check, one a line.
  var faultText: String {
    problems.isEmpty
      ? "\(path): nothing is wrong" + (publisherText.map { ", signed by \($0)" } ?? "")
        + (state == .incompatible ? ", but it cannot be used: \(explanation)" : "")
      : "\(path):\n" + problems.map { "  \($0.check): \($0.message)" }.joined(separator: "\n")
  }

  /// The same, and what it asks for.
  var lintText: String {
    entitlements.isEmpty
      ? faultText
      : ([faultText] + asksText().split(separator: "\n").map { "  asks for \($0)" }).joined(separator: "\n")
  }
}
